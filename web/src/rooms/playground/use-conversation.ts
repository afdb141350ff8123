import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import type { ProjectPath } from '../projects/index.ts';
import { emptyText } from './answer-stream.ts';
import { followedIn, type Live, messagesWithout } from './live-answer.ts';
import { chatQuery, imageUrlsOf, type Message, messagesQuery } from './playground-queries.ts';
import {
  type MessageRequest,
  prepareChat,
  readAnswer,
  type SentResult,
  sendMessage,
  stopAnswer,
  type Timing,
} from './send-message.ts';
import type { ChatSettings } from './settings.ts';

type Options = {
  path: ProjectPath;
  chatId: string | null;
  onChat: (chatId: string) => void;
  /** Called with the settings that the conversation has now. */
  onStored?: (settings: ChatSettings) => void;
};

const nothing: MessageRequest = { content: null, images: [], results: [], replacedId: null, retriedId: null };

/** The state of one conversation: messages, the arriving answer, and actions. */
export function useConversation({ path, chatId, onChat, onStored }: Options) {
  const { owner, project } = path;
  const queryClient = useQueryClient();
  const { messages, read, refresh } = useMessages(path, chatId);
  const [live, setLive] = useState<Live | null>(null);
  const [problem, setProblem] = useState<unknown>(null);
  const [timings, setTimings] = useState<Readonly<Record<string, Timing>>>({});
  const leaving = useRef<AbortController | null>(null);
  // The URL changes later.
  const current = useRef(chatId);
  if (chatId !== null) current.current = chatId;

  const isOpen = useRef(true);
  useEffect(() => {
    isOpen.current = true;
    // An answer goes on without the page.
    return () => {
      isOpen.current = false;
    };
  }, []);

  const change = (part: Partial<Live>) => setLive((now) => now && { ...now, ...part });

  /** The id of the chat, which the first message creates. */
  async function prepare(settings: ChatSettings): Promise<string> {
    const chat = await prepareChat(path, chatId, settings);
    queryClient.setQueryData(chatQuery({ owner, project, chatId: chat.id }).queryKey, chat);
    current.current = chat.id;
    onStored?.(settings);
    if (chatId === null && isOpen.current) onChat(chat.id);
    return chat.id;
  }

  async function receive(id: string, request: MessageRequest, signal: AbortSignal): Promise<void> {
    const startedMs = performance.now();
    const onWait = (waiting: Live['waiting']) => change({ waiting });
    const target = { owner, project, chatId: id };
    const response = await sendMessage(target, request, { signal, onWait, read: () => read(id) });
    const messageId = response.headers.get('x-fnf-message-id');
    change({ messageId });
    const timing = await readAnswer(response, { startedMs, show: (text) => change({ text }) });
    if (messageId !== null) setTimings((earlier) => ({ ...earlier, [messageId]: timing }));
  }

  /** The images of a message that is sent again. */
  function imagesOfMessage(id: string): readonly string[] {
    const message = messages.data?.find((each) => each.id === id);
    return message && chatId !== null ? imageUrlsOf({ owner, project, chatId }, message) : [];
  }

  /** Resolves to true when the message is stored. */
  async function run(settings: ChatSettings, request: MessageRequest): Promise<boolean> {
    const controller = new AbortController();
    leaving.current?.abort();
    leaving.current = controller;
    const { signal } = controller;
    setProblem(null);
    setLive({
      messageId: request.retriedId,
      content: request.content,
      images: request.replacedId === null ? request.images : imagesOfMessage(request.replacedId),
      results: request.results,
      replacedId: request.replacedId,
      text: emptyText,
      waiting: null,
    });
    let id = chatId;
    let isStored = true;
    const before = messages.data ?? [];
    try {
      id = await prepare(settings);
      await receive(id, request, signal);
    } catch (error) {
      if (signal.aborted) return true;
      setProblem(error);
      isStored = false;
    }
    if (id !== null) {
      const after = await refresh(id);
      // The message may be stored although the answer failed.
      isStored ||= request.content === null || isNew(request.content, { before, after });
      // The connection broke, and the answer goes on.
      if (followedIn(after)) setProblem(null);
    }
    if (leaving.current === controller) setLive(null);
    return isStored;
  }

  const shown = live ?? followedIn(messages.data ?? []);

  async function stop(): Promise<void> {
    const id = current.current;
    const known = live?.waiting ? null : (shown?.messageId ?? null);
    // Nothing has arrived, but the answer may have begun.
    const messageId = known ?? (id === null ? null : (followedIn(await read(id).catch(() => []))?.messageId ?? null));
    if (id !== null && messageId !== null)
      await stopAnswer({ owner, project, chatId: id }, messageId).catch(setProblem);
    if (live !== null && known !== null) return;
    leaving.current?.abort();
    setLive(null);
    if (id !== null) await refresh(id);
  }

  return {
    messages: messagesWithout(shown, messages.data ?? []),
    isLoading: chatId !== null && messages.isPending && shown === null,
    loadError: messages.error,
    live: shown,
    problem,
    timings,
    hasImages: messages.data?.some(({ images }) => images.length > 0) ?? false,
    send: (settings: ChatSettings, content: string, images: readonly string[] = []) =>
      run(settings, { ...nothing, content, images }),
    sendResults: (settings: ChatSettings, results: readonly SentResult[]) => run(settings, { ...nothing, results }),
    edit: (settings: ChatSettings, replacedId: string, content: string) =>
      run(settings, { ...nothing, content, replacedId }),
    retry: (settings: ChatSettings, retriedId: string) => run(settings, { ...nothing, retriedId }),
    stop,
    refresh: () => (chatId === null ? Promise.resolve() : refresh(chatId)),
  };
}

function isNew(content: string, { before, after }: Record<'before' | 'after', readonly Message[]>): boolean {
  const ids = new Set(before.map(({ id }) => id));
  return after.some(
    (message) => message.role === 'user' && (message.content ?? '') === content && !ids.has(message.id),
  );
}

export type Conversation = ReturnType<typeof useConversation>;

/** The stored messages of a chat; null: a new one. */
function useMessages({ owner, project }: ProjectPath, chatId: string | null) {
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
