import { NativeSelect, Skeleton, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { call } from '../../api/call.ts';
import { useIdempotencyKey } from '../../api/use-idempotency-key.ts';
import { useTexts } from '../../i18n/catalogue.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { ProblemNote } from '../../ui/problem-note.tsx';
import { SegmentedControl } from '../../ui/segmented-control.tsx';
import { SubmitRow } from '../../ui/submit-row.tsx';
import { NoDatasets, useDatasetOptions, useSavedNotice } from '../data/index.ts';
import type { Project } from '../projects/index.ts';
import { datasetsQuery, type Message } from './playground-queries.ts';
import { playgroundTexts } from './playground-texts.ts';

type SaveDialogProps = { project: Project; chatId: string; message: Message; onClose: () => void };

export function SaveDialog({ project, chatId, message, onClose }: SaveDialogProps) {
  const t = useTexts(playgroundTexts);
  const path = { owner: project.owner.slug, project: project.slug };
  const queryClient = useQueryClient();
  const notifySaved = useSavedNotice(path);
  const datasets = useQuery(datasetsQuery(path));
  const options = useDatasetOptions(datasets.data?.data ?? []);
  const [chosen, setChosen] = useState('');
  const [split, setSplit] = useState<'train' | 'test'>('train');
  const keyFor = useIdempotencyKey();
  const datasetId = chosen || (datasets.data?.data[0]?.id ?? '');
  const save = useMutation({
    mutationFn: () => {
      const body = { dataset_id: datasetId, split };
      return call('POST /api/v1/projects/{owner}/{project}/chats/{chat_id}/messages/{message_id}/save-example', {
        path: { ...path, chat_id: chatId, message_id: message.id },
        body,
        idempotencyKey: keyFor(body),
      });
    },
    onSuccess: () => {
      notifySaved(t.savedAs, datasetId);
      void queryClient.invalidateQueries({ queryKey: ['datasets'] });
      onClose();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate();
  };
  return (
    <Dialog opened onClose={onClose} title={t.saveTitle}>
      <form onSubmit={submit}>
        <Stack gap="md">
          <Text>{t.saveText}</Text>
          {datasets.isPending && <Skeleton height={36} />}
          {datasets.error && <ProblemNote error={datasets.error} onRetry={() => void datasets.refetch()} />}
          {datasets.data?.data.length === 0 && <NoDatasets at={path} />}
          {datasetId !== '' && (
            <>
              <NativeSelect
                label={t.dataset}
                value={datasetId}
                onChange={(event) => setChosen(event.currentTarget.value)}
                data={options}
                data-autofocus
              />
              <SegmentedControl
                aria-label={t.split}
                value={split}
                onChange={(value) => setSplit(value === 'test' ? 'test' : 'train')}
                data={[
                  { value: 'train', label: t.splits.train },
                  { value: 'test', label: t.splits.test },
                ]}
              />
            </>
          )}
          {save.error && <ProblemNote error={save.error} />}
          <SubmitRow action={t.save} isBusy={save.isPending} disabled={datasetId === ''} onCancel={onClose} />
        </Stack>
      </form>
    </Dialog>
  );
}
