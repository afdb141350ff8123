import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import type { ProjectPath } from '../projects/index.ts';
import { messagesQuery } from './playground-queries.ts';

/** The messages of a chat as the server has them; null: a chat that is not there yet. */
export function useMessages({ owner, project }: ProjectPath, chatId: string | null) {
  const queryClient = useQueryClient();
  const place = { owner, project, chatId: chatId ?? '' };
  const messages = useQuery({ ...messagesQuery(place), enabled: chatId !== null });

  const read = useCallback(
    async (id: string) => {
      const query = messagesQuery({ owner, project, chatId: id });
      // One that is on its way may have been answered before the last message was there.
      await queryClient.cancelQueries({ queryKey: query.queryKey });
      return queryClient.fetchQuery({ ...query, staleTime: 0 });
    },
    [owner, project, queryClient],
  );

  /** Once something was said or answered in a chat; gives its messages, none when they cannot be read. */
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
