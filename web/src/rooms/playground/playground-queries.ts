import { queryOptions } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import type { Schemas } from '../../api/generated/contract.ts';
import { listQuery, routeQuery } from '../../api/queries.ts';
import type { ProjectPath } from '../projects/index.ts';

export type Chat = Schemas['Chat'];
export type ListedChat = Schemas['ListedChat'];
export type Message = Schemas['ChatMessage'];
export type ChatPath = ProjectPath & { chatId: string };

/** Where the images of a message are. */
export const imageUrlsOf = ({ owner, project, chatId }: ChatPath, { images }: Message): string[] =>
  images.map(({ id }) => `/api/v1/projects/${owner}/${project}/chats/${chatId}/images/${id}`);

/** Polls an answer that this page does not receive itself. Servers store its progress about as often. */
const followMs = 500;
export const isInProgress = ({ state, error }: Message) =>
  state === 'streaming' || (state === 'queued' && error === null);

/** Only those whose title or messages have the text `q`, if there is one. */
export const chatsQuery = ({ owner, project }: ProjectPath, q: string | undefined) =>
  listQuery(['chats', 'list', owner, project, q], 'GET /api/v1/projects/{owner}/{project}/chats', {
    path: { owner, project },
    query: { limit: 30, ...(q === undefined ? {} : { q }) },
  });

export const chatQuery = ({ owner, project, chatId }: ChatPath) =>
  routeQuery(['chats', 'one', owner, project, chatId], 'GET /api/v1/projects/{owner}/{project}/chats/{chat_id}', {
    path: { owner, project, chat_id: chatId },
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
  routeQuery(['chats', 'datasets', owner, project], 'GET /api/v1/projects/{owner}/{project}/datasets', {
    path: { owner, project },
    query: { limit: 100 },
  });
