import { NativeSelect, Skeleton, Stack, Text } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { useIdempotencyKey } from '../../api/use-idempotency-key.ts';
import { useTexts } from '../../i18n/catalogue.ts';
import { AsyncBoundary } from '../../ui/async-boundary.tsx';
import { ButtonLink } from '../../ui/button-link.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { notify } from '../../ui/notify.tsx';
import { ProblemNote } from '../../ui/problem-note.tsx';
import { SubmitRow } from '../../ui/submit-row.tsx';
import { useList } from '../../ui/use-list.ts';
import { type DatasetPath, useVersionOption, versionsQuery } from '../data/index.ts';
import { trainedModelsQuery } from '../models/index.ts';
import { baseModelsQuery, hostedModelsQuery } from '../projects/index.ts';
import { useBuildIndex } from './indexes-changes.ts';
import { indexesTexts } from './indexes-texts.ts';

type BuildIndexProps = {
  at: DatasetPath;
  /** The model of the index that is built again. */
  model?: string;
  isOpen: boolean;
  onClose: () => void;
};

export function BuildIndex({ isOpen, ...props }: BuildIndexProps) {
  const t = useTexts(indexesTexts);
  return (
    <Dialog opened={isOpen} onClose={props.onClose} title={t.createTitle}>
      <AsyncBoundary skeleton={<Skeleton height={240} />}>
        <BuildForm {...props} />
      </AsyncBoundary>
    </Dialog>
  );
}

function BuildForm({ at, model: before, onClose }: Omit<BuildIndexProps, 'isOpen'>) {
  const t = useTexts(indexesTexts);
  const versionOption = useVersionOption();
  const navigate = useNavigate();
  const { rows } = useList(versionsQuery(at));
  // An empty version cannot be indexed.
  const versions = rows.filter(({ example_count }) => example_count > 0);
  const groups = useModels(at);
  const names = groups.flatMap(({ items }) => items.map(({ value }) => value));
  const [version, setVersion] = useState(versions[0]?.id ?? '');
  const [model, setModel] = useState(names.find((name) => name === before) ?? names[0] ?? '');
  const build = useBuildIndex(at);
  const idempotencyKeyOf = useIdempotencyKey();
  if (versions.length === 0) return <NoVersion at={at} />;
  if (names.length === 0) return <Text>{t.noModels}</Text>;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const body = { version_id: version, model };
    build.mutate(
      { body, idempotencyKey: idempotencyKeyOf(body) },
      {
        onSuccess: ({ id }) => {
          onClose();
          notify({ tone: 'good', text: t.begun });
          void navigate({
            to: '/projects/$owner/$project/data/$dataset/indexes/$index',
            params: { ...at, index: id },
          });
        },
      },
    );
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <NativeSelect
          label={t.version}
          description={t.versionHint}
          value={version}
          data={versions.map(versionOption)}
          onChange={(event) => setVersion(event.currentTarget.value)}
          data-autofocus
        />
        <NativeSelect
          label={t.model}
          description={t.modelHint}
          value={model}
          data={groups}
          onChange={(event) => setModel(event.currentTarget.value)}
        />
        <Text size="sm" c="dimmed">
          {t.costs}
        </Text>
        {build.error ? <ProblemNote error={build.error} /> : null}
        <SubmitRow action={t.createAction} isBusy={build.isPending} onCancel={onClose} />
      </Stack>
    </form>
  );
}

function NoVersion({ at }: { at: DatasetPath }) {
  const t = useTexts(indexesTexts);
  return (
    <Stack gap="md" align="flex-start">
      <Text>{t.noVersion}</Text>
      <ButtonLink to="/projects/$owner/$project/data/$dataset/versions" params={at}>
        {t.toVersions}
      </ButtonLink>
    </Stack>
  );
}

/** Models of the project first. */
function useModels(at: DatasetPath) {
  const t = useTexts(indexesTexts);
  const { data: hosted } = useSuspenseQuery(hostedModelsQuery(at));
  const { data: bases } = useSuspenseQuery(baseModelsQuery);
  const names = hosted.data
    .filter(({ state }) => state === 'active')
    .map(({ alias }) => ({ value: alias, label: alias }));
  const { data: trained } = useSuspenseQuery(trainedModelsQuery('embedding'));
  const learnt = trained.data.filter(({ callable }) => callable).map(({ ref, name }) => ({ value: ref, label: name }));
  const plain = bases.data
    .filter(({ kind, serving }) => kind === 'embedding' && serving.available)
    .map(({ id, name }) => ({ value: id, label: name }));
  return [
    { group: t.hosted, items: names },
    { group: t.trained, items: learnt },
    { group: t.bases, items: plain },
  ].filter(({ items }) => items.length > 0);
}
