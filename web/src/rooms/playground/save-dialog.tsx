import { NativeSelect, Skeleton, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { call } from '../../api/call.ts';
import { useIdempotencyKey } from '../../api/use-idempotency-key.ts';
import { useTexts } from '../../i18n/catalogue.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { GrowingTextarea } from '../../ui/growing-textarea.tsx';
import { ProblemNote } from '../../ui/problem-note.tsx';
import { SegmentedControl } from '../../ui/segmented-control.tsx';
import { SubmitRow } from '../../ui/submit-row.tsx';
import { useDatasetOptions, useSavedNotice } from '../data/index.ts';
import type { Project } from '../projects/index.ts';
import { datasetsQuery, type Message } from './playground-queries.ts';
import { playgroundTexts } from './playground-texts.ts';
import { saveTexts } from './save-texts.ts';

/** In place of the id of a dataset. */
const newDataset = 'new';

type SaveDialogProps = { project: Project; chatId: string; message: Message; onClose: () => void };

/** Makes an example of an answer, which can be edited, in a dataset, which can be made with it. */
export function SaveDialog({ project, chatId, message, onClose }: SaveDialogProps) {
  const t = useTexts(playgroundTexts);
  const own = useTexts(saveTexts);
  const path = { owner: project.owner.slug, project: project.slug };
  const queryClient = useQueryClient();
  const notifySaved = useSavedNotice(path);
  const datasets = useQuery(datasetsQuery(path));
  const options = useDatasetOptions(datasets.data?.data ?? []);
  const [chosen, setChosen] = useState('');
  const [split, setSplit] = useState<'train' | 'test'>('train');
  const keyFor = useIdempotencyKey();
  const said = message.content ?? '';
  const [text, setText] = useState(said);
  const [name, setName] = useState('');
  const keyForDataset = useIdempotencyKey();
  const datasetId = chosen || (datasets.data ? (datasets.data.data[0]?.id ?? newDataset) : '');
  const isNew = datasetId === newDataset;
  const canSave = isNew ? name.trim() !== '' : datasetId !== '';
  const isEmpty = said !== '' && text.trim() === '';

  async function targetDataset(): Promise<string> {
    if (!isNew) return datasetId;
    const body = { name: name.trim() };
    const made = await call('POST /api/v1/projects/{owner}/{project}/datasets', {
      path,
      body,
      idempotencyKey: keyForDataset(body),
    });
    return made.id;
  }

  const save = useMutation({
    mutationFn: async () => {
      const dataset_id = await targetDataset();
      const body = { dataset_id, split, ...(text === said ? {} : { content: text }) };
      await call('POST /api/v1/projects/{owner}/{project}/chats/{chat_id}/messages/{message_id}/save-example', {
        path: { ...path, chat_id: chatId, message_id: message.id },
        body,
        idempotencyKey: keyFor(body),
      });
      return dataset_id;
    },
    onSuccess: (dataset) => {
      notifySaved(t.savedAs, dataset);
      void queryClient.invalidateQueries({ queryKey: ['chats', 'datasets'] });
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
          {said !== '' && (
            <GrowingTextarea
              label={own.answer}
              description={own.answerHint}
              minRows={3}
              maxRows={14}
              value={text}
              error={isEmpty && own.answerEmpty}
              onChange={(event) => setText(event.currentTarget.value)}
              data-autofocus
            />
          )}
          {datasetId !== '' && (
            <>
              <NativeSelect
                label={t.dataset}
                value={datasetId}
                onChange={(event) => setChosen(event.currentTarget.value)}
                data={[...options, { value: newDataset, label: own.newDataset }]}
              />
              {isNew && (
                <TextInput
                  label={own.datasetName}
                  maxLength={80}
                  value={name}
                  onChange={(event) => setName(event.currentTarget.value)}
                />
              )}
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
          <SubmitRow action={t.save} isBusy={save.isPending} disabled={!canSave || isEmpty} onCancel={onClose} />
        </Stack>
      </form>
    </Dialog>
  );
}
