import { Alert, Button, Group, Stack } from '@mantine/core';
import { useState } from 'react';
import { useDraft } from '../../api/use-draft.ts';
import { useIdempotencyKey } from '../../api/use-idempotency-key.ts';
import { useTexts } from '../../i18n/catalogue.ts';
import { sharedTexts } from '../../i18n/shared-texts.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { IconAlertTriangle } from '../../ui/icons.tsx';
import { notify } from '../../ui/notify.tsx';
import { ProblemNote } from '../../ui/problem-note.tsx';
import type { DatasetPath } from '../data/index.ts';
import type { Example } from './example.ts';
import { contentOf, emptyDraft, isReadable } from './example-draft.ts';
import { ExampleEditor } from './example-editor.tsx';
import { useAddExample } from './examples-changes.ts';
import { examplesTexts } from './examples-texts.ts';
import { IssueList } from './issue-list.tsx';

type AddExampleProps = { at: DatasetPath; kind: Example['kind']; isOpen: boolean; onClose: () => void };

export function AddExample({ isOpen, ...props }: AddExampleProps) {
  const t = useTexts(examplesTexts);
  return (
    <Dialog opened={isOpen} onClose={props.onClose} title={t.addTitle} size="xl" isLossless>
      <AddForm {...props} />
    </Dialog>
  );
}

function AddForm({ at, kind, onClose }: Omit<AddExampleProps, 'isOpen'>) {
  const t = useTexts(examplesTexts);
  const { cancel } = useTexts(sharedTexts);
  const [empty] = useState(() => emptyDraft(kind));
  const [draft, setDraft, giveUp] = useDraft(`example of ${at.dataset}`, empty);
  const add = useAddExample(at);
  const idempotencyKeyOf = useIdempotencyKey();
  const leave = () => {
    giveUp();
    onClose();
  };
  const submit = () => {
    const example = contentOf(draft);
    add.mutate(
      { example, idempotencyKey: idempotencyKeyOf(example) },
      {
        onSuccess: (added) => {
          if (added?.status !== 'created') return;
          notify({ tone: 'good', text: t.added });
          leave();
        },
      },
    );
  };
  const refused = add.data && add.data.status !== 'created' ? add.data : null;
  return (
    <Stack gap="md">
      <ExampleEditor draft={draft} onChange={setDraft} />
      {refused && (
        <Alert
          role="alert"
          color="amber"
          icon={<IconAlertTriangle />}
          title={refused.status === 'duplicate' ? t.isDuplicate : t.rejected}
        >
          <IssueList issues={refused.status === 'duplicate' ? [] : refused.issues} />
        </Alert>
      )}
      {add.error ? <ProblemNote error={add.error} /> : null}
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={leave}>
          {cancel}
        </Button>
        <Button loading={add.isPending} disabled={!isReadable(draft)} onClick={submit}>
          {t.add}
        </Button>
      </Group>
    </Stack>
  );
}
