import { ActionIcon, Drawer } from '@mantine/core';
import { keepPreviousData, useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { Fragment, useState } from 'react';
import { call } from '../../api/call.ts';
import { useTexts } from '../../i18n/catalogue.ts';
import { sharedTexts } from '../../i18n/shared-texts.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { useOpened } from '../../ui/dialog.tsx';
import { IconEdit, IconTrash } from '../../ui/icons.tsx';
import { LoadMore } from '../../ui/load-more.tsx';
import { plainHeader } from '../../ui/plain-header.ts';
import { ProblemNote } from '../../ui/problem-note.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { TableSkeleton } from '../../ui/table-skeleton.tsx';
import type { ProjectPath } from '../projects/index.ts';
import styles from './playground.module.css';
import { chatsQuery, type ListedChat } from './playground-queries.ts';
import { playgroundTexts } from './playground-texts.ts';
import { RenameChat } from './rename-chat.tsx';

type HistoryProps = {
  path: ProjectPath;
  isOpen: boolean;
  onClose: () => void;
  current: string | null;
  /** Called with null when the current one was deleted. */
  onChoose: (chatId: string | null) => void;
};

export function History({ path, isOpen, onClose, current, onChoose }: HistoryProps) {
  const t = useTexts(playgroundTexts);
  const { close } = useTexts(sharedTexts);
  return (
    <Drawer
      opened={useOpened(isOpen)}
      onClose={onClose}
      position="right"
      size={360}
      title={t.history}
      closeButtonProps={{ 'aria-label': close }}
      attributes={plainHeader}
      transitionProps={{ duration: 150 }}
    >
      <Chats
        path={path}
        current={current}
        onChoose={(chatId) => {
          onChoose(chatId);
          if (chatId !== null) onClose();
        }}
      />
    </Drawer>
  );
}

function Chats({ path, current, onChoose }: Pick<HistoryProps, 'path' | 'current' | 'onChoose'>) {
  const t = useTexts(playgroundTexts);
  const [q, setQ] = useState<string>();
  const query = useInfiniteQuery({ ...chatsQuery(path, q), placeholderData: keepPreviousData });
  const [renamed, setRenamed] = useState<string | null>(null);
  const [chatToDelete, setChatToDelete] = useState<ListedChat | null>(null);
  if (query.error) return <ProblemNote error={query.error} onRetry={() => void query.refetch()} />;
  if (!query.data) return <TableSkeleton columns={1} rows={6} />;
  const chats = query.data.pages.flatMap(({ data }) => data);
  if (chats.length === 0 && q === undefined) return <p className={styles.hint}>{t.noHistory}</p>;
  return (
    <>
      <SearchField label={t.searchChats} value={q} onSearch={setQ} />
      {chats.length === 0 && <p className={styles.hint}>{t.noChatFound}</p>}
      <ul className={styles.chats}>
        {chats.map((chat) =>
          chat.id === renamed ? (
            <li key={chat.id}>
              <RenameChat path={path} chat={chat} onClose={() => setRenamed(null)} />
            </li>
          ) : (
            <li key={chat.id} data-current={chat.id === current || undefined}>
              <button type="button" onClick={() => onChoose(chat.id)}>
                <strong>{chat.title || t.untitled}</strong>
                {chat.match && <Excerpt text={chat.match.excerpt} q={q ?? ''} />}
                <span>
                  {chat.model} · <RelativeTime at={chat.last_message_at ?? chat.created_at} />
                </span>
              </button>
              <ActionIcon
                size="md"
                aria-label={t.renameOf(chat.title || t.untitled)}
                onClick={() => setRenamed(chat.id)}
              >
                <IconEdit size={16} />
              </ActionIcon>
              <ActionIcon
                size="md"
                aria-label={t.deleteOf(chat.title || t.untitled)}
                onClick={() => setChatToDelete(chat)}
              >
                <IconTrash size={16} />
              </ActionIcon>
            </li>
          ),
        )}
      </ul>
      <LoadMore list={query} shown={chats.length} />
      {chatToDelete && (
        <DeleteChat
          path={path}
          chat={chatToDelete}
          onClose={() => setChatToDelete(null)}
          onGone={() => chatToDelete.id === current && onChoose(null)}
        />
      )}
    </>
  );
}

/** A part of a message, with the words that were searched for marked. */
function Excerpt({ text, q }: { text: string; q: string }) {
  const words = q.split(/[^\p{L}\p{N}\p{M}]+/u).filter((word) => word !== '');
  if (words.length === 0) return <em>{text}</em>;
  // Words are letters and digits: nothing in them has a meaning in an expression.
  const parts = text.split(new RegExp(`(${words.join('|')})`, 'giu'));
  return (
    <em>
      {parts.map((part, at) => {
        const key = `${at} ${part}`;
        return at % 2 === 1 ? <mark key={key}>{part}</mark> : <Fragment key={key}>{part}</Fragment>;
      })}
    </em>
  );
}

type DeleteChatProps = { path: ProjectPath; chat: ListedChat; onClose: () => void; onGone: () => void };

function DeleteChat({ path, chat, onClose, onGone }: DeleteChatProps) {
  const t = useTexts(playgroundTexts);
  const shared = useTexts(sharedTexts);
  const queryClient = useQueryClient();
  const remove = useMutation({
    mutationFn: () =>
      call('DELETE /api/v1/projects/{owner}/{project}/chats/{chat_id}', { path: { ...path, chat_id: chat.id } }),
    onSuccess: () => {
      onGone();
      onClose();
      void queryClient.invalidateQueries({ queryKey: ['chats', 'list'] });
    },
  });
  return (
    <Confirm
      isOpen
      onClose={onClose}
      title={t.deleteChat(chat.title || t.untitled)}
      action={shared.delete}
      isBusy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate()}
    >
      {t.deleteChatText}
    </Confirm>
  );
}
