import { call, newIdempotencyKey, type RouteName, send } from '../../api/call.ts';
import type { ProjectPath } from '../projects/index.ts';
import { appendFrame, emptyText, type LiveText, readFrames } from './answer-stream.ts';
import type { Chat, ChatPath, Message } from './playground-queries.ts';
import { retryWhileLoading, type Waiting } from './retry-while-loading.ts';
import type { ChatSettings } from './settings.ts';

export type SentResult = { tool_call_id: string; content: string };

/** A new message, an edited one, results of tools, or another attempt at an answer. */
export type MessageRequest = {
  content: string | null;
  /** Sent with it, as `data:` URLs; empty: an edited message keeps its own. */
  images: readonly string[];
  results: readonly SentResult[];
  replacedId: string | null;
  retriedId: string | null;
};

export type Timing = {
  /** Time to the first text, ms. */
  firstMs: number;
  totalMs: number;
};

const messagesRoute = 'POST /api/v1/projects/{owner}/{project}/chats/{chat_id}/messages';
const retryRoute = 'POST /api/v1/projects/{owner}/{project}/chats/{chat_id}/messages/{message_id}/retry';

/** Stores the settings in the chat; null: creates one. */
export function prepareChat(
  { owner, project }: ProjectPath,
  chatId: string | null,
  { model, systemPrompt, params }: ChatSettings,
): Promise<Chat> {
  const body = { model, system_prompt: systemPrompt || null, params };
  if (chatId === null)
    return call('POST /api/v1/projects/{owner}/{project}/chats', {
      path: { owner, project },
      body,
      idempotencyKey: newIdempotencyKey(),
    });
  return call('PATCH /api/v1/projects/{owner}/{project}/chats/{chat_id}', {
    path: { owner, project, chat_id: chatId },
    body,
  });
}

type SendOptions = {
  signal: AbortSignal;
  onWait: (waiting: Waiting | null) => void;
  read: () => Promise<readonly Message[]>;
};

/** Resolves when the answer begins. */
export function sendMessage(
  { owner, project, chatId }: ChatPath,
  { content, images, results, replacedId, retriedId }: MessageRequest,
  { signal, onWait, read }: SendOptions,
): Promise<Response> {
  let messageId = retriedId;
  const post = async (retry: number): Promise<Response> => {
    // The first attempt left an answer that waits for its model.
    if (retry > 0) messageId ??= waitingAnswerIn(await read());
    const route: RouteName = messageId === null ? messagesRoute : retryRoute;
    const said = {
      ...(content === '' ? {} : { content }),
      ...(images.length > 0 ? { images } : {}),
      replace_message_id: replacedId ?? undefined,
    };
    const added = results.length > 0 ? { tool_results: results } : said;
    const body = messageId === null ? added : {};
    const path = { owner, project, chat_id: chatId, message_id: messageId };
    // With a key the answer goes on when this page is left.
    return send(route, { path, body, signal, idempotencyKey: newIdempotencyKey() });
  };
  return retryWhileLoading(post, { signal, onWait });
}

function waitingAnswerIn(messages: readonly Message[]): string | null {
  return messages.findLast(({ role, state }) => role === 'assistant' && state === 'queued')?.id ?? null;
}

/** Reads an answer to its end; `show` gets the text so far, once per animation frame. */
export async function readAnswer(
  response: Response,
  { startedMs, show }: { startedMs: number; show: (text: LiveText) => void },
): Promise<Timing> {
  let text = emptyText;
  let firstMs: number | null = null;
  let painting = 0;
  const paint = () => {
    painting = 0;
    show(text);
  };
  await readFrames(response, (frame) => {
    text = appendFrame(text, frame);
    firstMs ??= performance.now() - startedMs;
    painting ||= requestAnimationFrame(paint);
  }).finally(() => cancelAnimationFrame(painting));
  return { firstMs: firstMs ?? 0, totalMs: performance.now() - startedMs };
}

export async function stopAnswer({ owner, project, chatId }: ChatPath, messageId: string): Promise<void> {
  await call('POST /api/v1/projects/{owner}/{project}/chats/{chat_id}/messages/{message_id}/stop', {
    path: { owner, project, chat_id: chatId, message_id: messageId },
  });
}
