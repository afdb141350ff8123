import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { ProjectPath } from '../projects/index.ts';
import { noText } from './answer-stream.ts';
import { type Asked, ask, prepareChat, readAnswer, stopAnswer, type Timing } from './ask.ts';
import { type Live, messagesBeside } from './live-answer.ts';
import { chatQuery, type Message } from './playground-queries.ts';
import type { ChatSettings } from './settings.ts';
import { useMessages } from './use-messages.ts';

type Options = {
  path: ProjectPath;
  chatId: string | null;
  onChat: (chatId: string) => void;
  /** Called before anything is sent; false cancels. */
  isReady: () => boolean;
};

/** The state of one conversation: messages, the arriving answer, and actions. */
export function useConversation({ path, chatId, onChat, isReady }: Options) {
  const { owner, project } = path;
  const queryClient = useQueryClient();
  const { messages, read, refresh } = useMessages(path, chatId);
  const [live, setLive] = useState<Live | null>(null);
  const [problem, setProblem] = useState<unknown>(null);
  const [timings, setTimings] = useState<Readonly<Record<string, Timing>>>({});
  const leaving = useRef<AbortController | null>(null);
  // The URL changes a moment later.
  const current = useRef(chatId);
  if (chatId !== null) current.current = chatId;

  // Leaving the page cancels the answer.
  useEffect(() => () => leaving.current?.abort(), []);

  const change = (part: Partial<Live>) => setLive((now) => now && { ...now, ...part });

  /** The id of the chat, which the first message creates. */
  async function prepare(settings: ChatSettings): Promise<string> {
    const chat = await prepareChat(path, chatId, settings);
    queryClient.setQueryData(chatQuery({ owner, project, chatId: chat.id }).queryKey, chat);
    current.current = chat.id;
    if (chatId === null) onChat(chat.id);
    return chat.id;
  }

  async function receive(id: string, asked: Asked, signal: AbortSignal): Promise<void> {
    const startedMs = performance.now();
    const onWait = (waiting: Live['waiting']) => change({ waiting });
    const place = { owner, project, chatId: id };
    const response = await ask(place, asked, { signal, onWait, read: () => read(id) });
    const messageId = response.headers.get('x-fnf-message-id');
    change({ messageId });
    const timing = await readAnswer(response, { startedMs, show: (text) => change({ text }) });
    if (messageId !== null) setTimings((known) => ({ ...known, [messageId]: timing }));
  }

  /** Resolves to true when the message is stored. */
  async function run(settings: ChatSettings, asked: Asked): Promise<boolean> {
    if (!isReady()) return false;
    const controller = new AbortController();
    leaving.current?.abort();
    leaving.current = controller;
    const { signal } = controller;
    setProblem(null);
    setLive({ messageId: asked.retried, said: asked.said, replaces: asked.replaces, text: noText, waiting: null });
    let id = chatId;
    let isHeard = true;
    const known = messages.data ?? [];
    try {
      id = await prepare(settings);
      await receive(id, asked, signal);
    } catch (error) {
      if (signal.aborted) return true;
      setProblem(error);
      isHeard = false;
    }
    if (id !== null) {
      const now = await refresh(id);
      // The message may be stored although the answer failed.
      isHeard ||= asked.said === null || isNew(asked.said, { known, now });
    }
    if (leaving.current === controller) setLive(null);
    return isHeard;
  }

  async function stop(): Promise<void> {
    const id = current.current;
    const messageId = live?.messageId ?? null;
    if (id !== null && messageId !== null && !live?.waiting) {
      await stopAnswer({ owner, project, chatId: id }, messageId).catch(setProblem);
      return;
    }
    // Nothing has arrived: aborting the request is enough.
    leaving.current?.abort();
    setLive(null);
    if (id !== null) await refresh(id);
  }

  return {
    messages: messagesBeside(live, messages.data ?? []),
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

function isNew(said: string, { known, now }: Record<'known' | 'now', readonly Message[]>): boolean {
  const ids = new Set(known.map(({ id }) => id));
  return now.some(({ id, role, content }) => role === 'user' && content === said && !ids.has(id));
}

export type Conversation = ReturnType<typeof useConversation>;
