import { useDebouncedValue } from '@mantine/hooks';
import { useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { ProblemNote } from '../../ui/problem-note.tsx';
import { ConfirmBar } from './confirm-bar.tsx';
import {
  type Import,
  type ImportPath,
  type Mapping,
  type Options,
  previewQuery,
  profileQuery,
} from './imports-queries.ts';
import { IssuesPanel } from './issues-panel.tsx';
import { isComplete } from './mapping-fields.ts';
import { MappingPanel } from './mapping-panel.tsx';
import { OptionsPanel } from './options-panel.tsx';
import { PreviewPanel } from './preview-panel.tsx';
import { ProfilePanel } from './profile-panel.tsx';

const pauseMs = 300;

type Choice = { mapping: Mapping | null; options: Options };

type CheckStepProps = { at: ImportPath; going: Import; onReadAgain: () => void };

export function CheckStep({ at, going, onReadAgain }: CheckStepProps) {
  const queryClient = useQueryClient();
  const { data: profile } = useSuspenseQuery(profileQuery(at));
  const [choice, setChoice] = useState<Choice>({
    mapping: going.mapping ?? profile.suggested_mapping,
    options: going.options,
  });
  // The user may still be typing.
  const [debounced] = useDebouncedValue(choice, pauseMs);
  const { mapping, options } = choice;
  const isRequested = mapping !== null && isComplete(mapping, going.kind);
  const canPreview = debounced.mapping !== null && isComplete(debounced.mapping, going.kind);
  const preview = useQuery({ ...previewQuery(at, debounced), enabled: canPreview });
  const shown = isRequested ? preview.data : undefined;
  // Only the preview of exactly this choice can be confirmed.
  const isCurrent =
    isRequested && debounced === choice && preview.isSuccess && !preview.isFetching && !preview.isPlaceholderData;
  const setMapping = (next: Mapping | null) => setChoice({ ...choice, mapping: next });
  const setOptions = (next: Options) => setChoice({ ...choice, options: next });
  const read = isCurrent ? JSON.stringify(mapping) : null;
  // Another mapping means other issues.
  useEffect(() => {
    if (read !== null) void queryClient.invalidateQueries({ queryKey: ['import-profile', at.import] });
    if (read !== null) void queryClient.invalidateQueries({ queryKey: ['import-errors', at.import] });
  }, [read, at.import, queryClient]);
  return (
    <>
      <ProfilePanel at={at} profile={profile} onReadAgain={onReadAgain} />
      <MappingPanel kind={going.kind} profile={profile} mapping={mapping} onChange={setMapping} />
      <IssuesPanel at={at} profile={profile} />
      <OptionsPanel options={options} onChange={setOptions} />
      <PreviewPanel preview={shown} isRequested={isRequested} isCurrent={isCurrent} />
      {isRequested && preview.error ? (
        <ProblemNote error={preview.error} onRetry={() => void preview.refetch()} />
      ) : null}
      <ConfirmBar
        at={at}
        options={options}
        isRequested={isRequested}
        isCurrent={isCurrent}
        preview={shown}
        onChange={setOptions}
      />
    </>
  );
}
