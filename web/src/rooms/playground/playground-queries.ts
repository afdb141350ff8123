import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { byCursor } from '../../api/by-cursor.ts';
import { call } from '../../api/call.ts';
import type { Schemas } from '../../api/generated/contract.ts';
import type { ProjectPath } from '../projects/index.ts';

export type Chat = Schemas['Chat'];
export type Message = Schemas['ChatMessage'];
export type ChatPath = ProjectPath & { chatId: string };

/** Polls an answer that another page or server makes. */
const followMs = 1_000;
const isInProgress = ({ state, error }: Message) => state === 'streaming' || (state === 'queued' && error === null);

export const chatsQuery = ({ owner, project }: ProjectPath) =>
  infiniteQueryOptions({
    queryKey: ['chats', 'list', owner, project],
    queryFn: ({ pageParam, signal }) =>
      call('GET /api/v1/projects/{owner}/{project}/chats', {
        path: { owner, project },
        query: { limit: 30, cursor: pageParam },
        signal,
      }),
    ...byCursor,
  });

export const chatQuery = ({ owner, project, chatId }: ChatPath) =>
  queryOptions({
    queryKey: ['chats', 'one', owner, project, chatId],
    queryFn: ({ signal }) =>
      call('GET /api/v1/projects/{owner}/{project}/chats/{chat_id}', {
        path: { owner, project, chat_id: chatId },
        signal,
      }),
  });

export const messagesQuery = ({ owner, project, chatId }: ChatPath) =>
  queryOptions({
    queryKey: ['chats', 'messages', owner, project, chatId],
    queryFn: async ({ signal }) => {
      const messages: Message[] = [];
      let cursor: string | null = '';
      while (cursor !== null) {
        const page: { data: Message[]; next_cursor: string | null } = await call(
          'GET /api/v1/projects/{owner}/{project}/chats/{chat_id}/messages',
          { path: { owner, project, chat_id: chatId }, query: { limit: 100, cursor }, signal },
        );
        messages.push(...page.data);
        cursor = page.next_cursor;
      }
      return messages;
    },
    refetchInterval: ({ state }) => (state.data?.some(isInProgress) ? followMs : false),
  });

export const datasetsQuery = ({ owner, project }: ProjectPath) =>
  queryOptions({
    queryKey: ['chats', 'datasets', owner, project],
    queryFn: ({ signal }) =>
      call('GET /api/v1/projects/{owner}/{project}/datasets', {
        path: { owner, project },
        query: { limit: 100 },
        signal,
      }),
  });
