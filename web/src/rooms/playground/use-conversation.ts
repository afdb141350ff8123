import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import { call, newIdempotencyKey, type RouteName, send } from '../../api/call.ts';
import type { ProjectPath } from '../projects/projects-queries.ts';
import { type LiveText, noText, readFrames, withFrame } from './answer-stream.ts';
import { patiently, type Waiting } from './patient.ts';
import { chatQuery, type Message, messagesQuery } from './playground-queries.ts';
import type { ChatSettings } from './settings.ts';

/** An answer that arrives here. */
export type Live = {
  /** The attempt is at this message; null: it has no id yet. */
  messageId: string | null;
  /** What was just said, until it is among the messages. */
  said: string | null;
  /** The message that is edited, and everything after it, is on its way out. */
  replaces: string | null;
  text: LiveText;
  waiting: Waiting | null;
  /** To the first piece of text, ms. */
  firstMs: number | null;
};

export type Timing = { firstMs: number; totalMs: number };

const messagesRoute = 'POST /api/v1/projects/{owner}/{project}/chats/{chat_id}/messages';
const retryRoute = 'POST /api/v1/projects/{owner}/{project}/chats/{chat_id}/messages/{message_id}/retry';

type Options = { path: ProjectPath; chatId: string | null; onChat: (chatId: string) => void };

/** One conversation: what was said, the answer that arrives, and what can be done with both. */
export function useConversation({ path, chatId, onChat }: Options) {
  const { owner, project } = path;
  const queryClient = useQueryClient();
  const [live, setLive] = useState<Live | null>(null);
  const [problem, setProblem] = useState<unknown>(null);
  const [timings, setTimings] = useState<Readonly<Record<string, Timing>>>({});
  const leaving = useRef<AbortController | null>(null);
  // The address of the page follows a moment later.
  const current = useRef(chatId);
  if (chatId !== null) current.current = chatId;
  const place = { owner, project, chatId: chatId ?? '' };
  const messages = useQuery({ ...messagesQuery(place), enabled: chatId !== null });

  // Who goes elsewhere does not wait for the answer; the server stops it.
  useEffect(() => () => leaving.current?.abort(), []);

  const read = useCallback(
    async (id: string) => {
      const query = messagesQuery({ owner, project, chatId: id });
      // One that is on its way may have been answered before the last message was there.
      await queryClient.cancelQueries({ queryKey: query.queryKey });
      return queryClient.fetchQuery({ ...query, staleTime: 0 });
    },
    [owner, project, queryClient],
  );

  const refresh = useCallback(
    async (id: string) => {
      await read(id).catch(() => {});
      void queryClient.invalidateQueries({ queryKey: ['chats', 'list', owner, project] });
      void queryClient.invalidateQueries({ queryKey: ['credits'] });
    },
    [owner, project, queryClient, read],
  );

  /** Makes the chat what the settings say, and gives its id. */
  async function prepare(settings: ChatSettings): Promise<string> {
    const body = { model: settings.model, system_prompt: settings.systemPrompt || null, params: settings.params };
    const chat =
      chatId === null
        ? await call('POST /api/v1/projects/{owner}/{project}/chats', {
            path: { owner, project },
            body,
            idempotencyKey: newIdempotencyKey(),
          })
        : await call('PATCH /api/v1/projects/{owner}/{project}/chats/{chat_id}', {
            path: { owner, project, chat_id: chatId },
            body,
          });
    queryClient.setQueryData(chatQuery({ owner, project, chatId: chat.id }).queryKey, chat);
    return chat.id;
  }

  /** Which message waits for its model: the answer to be tried again. */
  async function waitingMessage(id: string): Promise<string | null> {
    return (await read(id)).findLast(({ role, state }) => role === 'assistant' && state === 'queued')?.id ?? null;
  }

  type Asked = { said: string | null; replaces: string | null; retried: string | null };

  async function run(settings: ChatSettings, { said, replaces, retried }: Asked): Promise<void> {
    const controller = new AbortController();
    leaving.current?.abort();
    leaving.current = controller;
    const { signal } = controller;
    const change = (part: Partial<Live>) => setLive((now) => now && { ...now, ...part });
    setProblem(null);
    setLive({ messageId: retried, said, replaces, text: noText, waiting: null, firstMs: null });
    let id = chatId;
    try {
      const chat = await prepare(settings);
      id = chat;
      current.current = chat;
      if (chatId === null) onChat(chat);
      let messageId = retried;
      const startedMs = performance.now();
      const post = async (retry: number): Promise<Response> => {
        if (retry > 0) messageId ??= await waitingMessage(chat);
        const route: RouteName = messageId === null ? messagesRoute : retryRoute;
        const body = messageId === null ? { content: said, replace_message_id: replaces ?? undefined } : {};
        return send(route, { path: { owner, project, chat_id: chat, message_id: messageId }, body, signal });
      };
      const response = await patiently(post, { signal, onWait: (waiting) => change({ waiting }) });
      messageId = response.headers.get('x-fnf-message-id');
      change({ messageId });
      let text = noText;
      let firstMs: number | null = null;
      let painting = 0;
      const paint = () => {
        painting = 0;
        change({ text, firstMs });
      };
      await readFrames(response, (frame) => {
        text = withFrame(text, frame);
        firstMs ??= performance.now() - startedMs;
        painting ||= requestAnimationFrame(paint);
      }).finally(() => cancelAnimationFrame(painting));
      const timing = { firstMs: firstMs ?? 0, totalMs: performance.now() - startedMs };
      if (messageId !== null) setTimings((known) => ({ ...known, [String(messageId)]: timing }));
    } catch (error) {
      if (signal.aborted) return;
      setProblem(error);
    }
    if (id !== null) await refresh(id);
    if (leaving.current === controller) setLive(null);
  }

  const stop = async (): Promise<void> => {
    const chat = current.current;
    const messageId = live?.messageId ?? null;
    if (chat !== null && messageId !== null && !live?.waiting) {
      await call('POST /api/v1/projects/{owner}/{project}/chats/{chat_id}/messages/{message_id}/stop', {
        path: { owner, project, chat_id: chat, message_id: messageId },
      }).catch(setProblem);
      return;
    }
    // Nothing has arrived: it is enough not to wait any longer.
    leaving.current?.abort();
    setLive(null);
    if (chat !== null) await refresh(chat);
  };

  return {
    messages: shown(messages.data ?? [], live),
    isLoading: chatId !== null && messages.isPending && live === null,
    loadError: messages.error,
    live,
    problem,
    timings,
    say: (settings: ChatSettings, said: string) => run(settings, { said, replaces: null, retried: null }),
    edit: (settings: ChatSettings, replaces: string, said: string) => run(settings, { said, replaces, retried: null }),
    retry: (settings: ChatSettings, retried: string) => run(settings, { said: null, replaces: null, retried }),
    stop,
    refresh: () => (chatId === null ? Promise.resolve() : refresh(chatId)),
  };
}

export type Conversation = ReturnType<typeof useConversation>;

/** Without what is being made anew or replaced: that is shown as it arrives. */
function shown(messages: readonly Message[], live: Live | null): readonly Message[] {
  if (live === null) return messages;
  const from = messages.findIndex(({ id }) => id === live.replaces);
  const kept = from < 0 ? messages : messages.slice(0, from);
  const answer = kept.findIndex(({ id }) => id === live.messageId);
  // While it is read anew, what was just said is in the list already.
  return kept.filter((_, at) => at !== answer && !(live.said !== null && answer >= 0 && at === answer - 1));
}
