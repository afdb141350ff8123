import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import type { ProjectPath } from '../projects/index.ts';
import { messagesQuery } from './playground-queries.ts';

/** The stored messages of a chat; null: a new one. */
export function useMessages({ owner, project }: ProjectPath, chatId: string | null) {
  const queryClient = useQueryClient();
  const path = { owner, project, chatId: chatId ?? '' };
  const messages = useQuery({ ...messagesQuery(path), enabled: chatId !== null });

  const read = useCallback(
    async (id: string) => {
      const query = messagesQuery({ owner, project, chatId: id });
      // A refetch in flight may have started before the last message was stored.
      await queryClient.cancelQueries({ queryKey: query.queryKey });
      return queryClient.fetchQuery({ ...query, staleTime: 0 });
    },
    [owner, project, queryClient],
  );

  /** Refetches the messages; empty if that fails. */
  const refresh = useCallback(
    async (id: string) => {
      const now = await read(id).catch(() => []);
      void queryClient.invalidateQueries({ queryKey: ['chats', 'list', owner, project] });
      void queryClient.invalidateQueries({ queryKey: ['credits'] });
      return now;
    },
    [owner, project, queryClient, read],
  );

  return { messages, read, refresh };
}
