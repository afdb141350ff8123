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

export type CheckStepProps = { at: ImportPath; going: Import; onReadAgain: () => void };

/** The file was read: what is in it, what becomes of it, and whether that is right. */
export function CheckStep({ at, going, onReadAgain }: CheckStepProps) {
  const queryClient = useQueryClient();
  const { data: profile } = useSuspenseQuery(profileQuery(at));
  const [mapping, setMapping] = useState<Mapping | null>(going.mapping ?? profile.suggested_mapping);
  const [options, setOptions] = useState<Options>(going.options);
  const isAsked = mapping !== null && isComplete(mapping, going.kind);
  const preview = useQuery({ ...previewQuery(at, { mapping, options }), enabled: isAsked });
  const shown = isAsked ? preview.data : undefined;
  const isCurrent = isAsked && preview.isSuccess && !preview.isFetching && !preview.isPlaceholderData;
  const read = isCurrent ? JSON.stringify(mapping) : null;
  // Under another mapping every row was read anew: other rows are wrong, others are long.
  useEffect(() => {
    if (read !== null) void queryClient.invalidateQueries({ queryKey: ['import-profile', at.import] });
    if (read !== null) void queryClient.invalidateQueries({ queryKey: ['import-errors', at.import] });
  }, [read, at.import, queryClient]);
  return (
    <>
      <ProfilePanel {...{ at, profile, onReadAgain }} />
      <MappingPanel kind={going.kind} profile={profile} mapping={mapping} onChange={setMapping} />
      <IssuesPanel at={at} profile={profile} />
      <OptionsPanel options={options} onChange={setOptions} />
      <PreviewPanel preview={shown} isAsked={isAsked} isCurrent={isCurrent} />
      {isAsked && preview.error ? <ProblemNote error={preview.error} onRetry={() => void preview.refetch()} /> : null}
      <ConfirmBar {...{ at, options, isCurrent }} preview={shown} onChange={setOptions} />
    </>
  );
}
