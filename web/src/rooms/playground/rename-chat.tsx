import { Button, Group, Stack, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type KeyboardEvent, useState } from 'react';
import { call } from '../../api/call.ts';
import { useTexts } from '../../i18n/catalogue.ts';
import { sharedTexts } from '../../i18n/shared-texts.ts';
import { ProblemNote } from '../../ui/problem-note.tsx';
import type { ProjectPath } from '../projects/index.ts';
import styles from './playground.module.css';
import type { Chat } from './playground-queries.ts';
import { playgroundTexts } from './playground-texts.ts';

type RenameChatProps = { path: ProjectPath; chat: Chat; onClose: () => void };

/** In place of the title in the list. */
export function RenameChat({ path, chat, onClose }: RenameChatProps) {
  const t = useTexts(playgroundTexts);
  const shared = useTexts(sharedTexts);
  const queryClient = useQueryClient();
  const [title, setTitle] = useState(chat.title);
  const rename = useMutation({
    mutationFn: () =>
      call('PATCH /api/v1/projects/{owner}/{project}/chats/{chat_id}', {
        path: { ...path, chat_id: chat.id },
        body: { title: title.trim() },
      }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['chats', 'list'] });
      onClose();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (title.trim() !== '') rename.mutate();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') onClose();
  };
  return (
    <form className={styles.rename} onSubmit={submit} onKeyDown={onKeyDown}>
      <Stack gap="xs">
        <TextInput
          aria-label={t.chatTitle}
          maxLength={80}
          value={title}
          onChange={(event) => setTitle(event.currentTarget.value)}
          // Escape does not close the drawer around it.
          data-mantine-stop-propagation="true"
          autoFocus
        />
        {rename.error && <ProblemNote error={rename.error} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" size="xs" onClick={onClose}>
            {shared.cancel}
          </Button>
          <Button type="submit" size="xs" loading={rename.isPending} disabled={title.trim() === ''}>
            {shared.save}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
