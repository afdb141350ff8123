import { Alert, Button, Group, NativeSelect, Stack, Text } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { useLanguage } from '../../i18n/language.tsx';
import { IconAlertTriangle, IconTrash } from '../../ui/icons.tsx';
import { notify, notifyProblem } from '../../ui/notify.tsx';
import { ProblemNote } from '../../ui/problem-note.tsx';
import { useList } from '../../ui/use-list.ts';
import { datasetsQuery, NoDatasets, useDatasetOptions, useSavedNotice } from '../data/index.ts';
import { ExampleView, IssueList } from '../examples/index.ts';
import type { ProjectPath } from '../projects/index.ts';
import styles from './saved-calls.module.css';
import { contentOf, useDeleteCall, useKeepAsExample } from './saved-calls-changes.ts';
import { savedCallQuery } from './saved-calls-queries.ts';
import { savedCallsTexts } from './saved-calls-texts.ts';

type CallDetailProps = { at: ProjectPath; id: string; onClose: () => void };

export function CallDetail({ at, id, onClose }: CallDetailProps) {
  const t = useTexts(savedCallsTexts);
  const format = useFormat();
  const { language } = useLanguage();
  const { data: saved } = useSuspenseQuery(savedCallQuery(at, id));
  const remove = useDeleteCall(at, () => {
    onClose();
    notify({ tone: 'good', text: t.deleted });
  });
  return (
    <Stack gap="md">
      <Text size="sm" c="dimmed">
        {saved.model_requested} · {format.dateTime(saved.created_at)} · {t.expires} {format.date(saved.expires_at)}
      </Text>
      <ExampleView text={contentOf(saved)} embedding={null} />
      <Keep at={at} id={id} />
      <Group>
        <Button
          size="xs"
          variant="subtle"
          color="rust"
          leftSection={<IconTrash size={14} />}
          loading={remove.isPending}
          onClick={() => remove.mutate(id, { onError: (error) => notifyProblem(error, language) })}
        >
          {t.delete}
        </Button>
      </Group>
    </Stack>
  );
}

function Keep({ at, id }: { at: ProjectPath; id: string }) {
  const t = useTexts(savedCallsTexts);
  const { rows: datasets } = useList(datasetsQuery(at, {}));
  const options = useDatasetOptions(datasets);
  const [dataset, setDataset] = useState(datasets.length === 1 ? (datasets[0]?.id ?? '') : '');
  const keep = useKeepAsExample(at);
  const notifySaved = useSavedNotice(at);
  const refused = keep.data && keep.data.status !== 'converted' ? keep.data : null;
  const isThere = refused?.status === 'duplicate' || refused?.status === 'already_converted';
  if (datasets.length === 0) return <NoDatasets at={at} />;
  return (
    <>
      <div className={styles.keep}>
        <NativeSelect
          label={t.keepIn}
          value={dataset}
          data={[{ value: '', label: t.choose }, ...options]}
          onChange={({ currentTarget: { value } }) => setDataset(value)}
        />
        <Button
          disabled={dataset === ''}
          loading={keep.isPending}
          onClick={() =>
            keep.mutate(
              { id, dataset },
              { onSuccess: (made) => made?.status === 'converted' && notifySaved(t.kept, dataset) },
            )
          }
        >
          {t.keep}
        </Button>
      </div>
      {refused && (
        <Alert role="alert" color="amber" icon={<IconAlertTriangle />} title={isThere ? t.duplicate : t.rejected}>
          <IssueList issues={isThere ? [] : refused.issues} />
        </Alert>
      )}
      {keep.error ? <ProblemNote error={keep.error} /> : null}
    </>
  );
}
