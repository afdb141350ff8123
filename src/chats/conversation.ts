import { isFields } from '#kernel';
import type { ChatRow } from './chats.store.ts';
import { mostImages, referenceTo } from './images.ts';
import type { MessageRow } from './messages.store.ts';
import { type ChatParams, resolveParams } from './params.ts';

/** A message of the conversation so far, as chat completions take it. */
type WireMessage = Record<string, unknown> & { role: string };

/** The body that P/chat/completions would get for the next answer, and with which anybody can make the same call. */
export type ChatRequestBody = Record<string, unknown> & { model: string; messages: WireMessage[] };

/** What was answered only in part is part of the conversation: the person has read it. */
export function bodyOf(
  { model, systemPrompt, params }: Pick<ChatRow, 'systemPrompt' | 'params'> & { model: string },
  history: readonly MessageRow[],
  { own, stream }: { own: ChatParams; stream: boolean },
): ChatRequestBody {
  const resolved = resolveParams(params, own);
  const shown = latestImages(history);
  return {
    model,
    messages: [
      ...(systemPrompt ? [{ role: 'system', content: systemPrompt }] : []),
      ...history.flatMap((message) => messageToBody(message, shown) ?? []),
    ],
    max_tokens: resolved.max_tokens,
    temperature: resolved.temperature,
    top_p: resolved.top_p,
    ...(resolved.reasoning_effort === null ? {} : { reasoning_effort: resolved.reasoning_effort }),
    ...(resolved.tools === null ? {} : { tools: resolved.tools }),
    ...(resolved.response_format === null ? {} : { response_format: resolved.response_format }),
    ...(resolved.top_k === null ? {} : { top_k: resolved.top_k }),
    ...(resolved.seed === null ? {} : { seed: resolved.seed }),
    ...(resolved.stop.length === 0 ? {} : { stop: resolved.stop }),
    ...(resolved.presence_penalty === 0 ? {} : { presence_penalty: resolved.presence_penalty }),
    ...(resolved.frequency_penalty === 0 ? {} : { frequency_penalty: resolved.frequency_penalty }),
    stream,
    ...(stream ? { stream_options: { include_usage: true } } : {}),
  };
}

/** The images that are sent with the next call, which takes only so many. */
function latestImages(history: readonly MessageRow[]): ReadonlySet<string> {
  const ids = history.flatMap(({ images }) => (images ?? []).map(({ id }) => id));
  return new Set(ids.slice(-mostImages));
}

/** Stands where an image is not sent. */
const placeholder = { type: 'text', text: '[image]' };

function userContent({ content, images }: MessageRow, shown: ReadonlySet<string>) {
  if (!images) return content ?? '';
  return [
    ...images.map(({ id }) =>
      shown.has(id) ? { type: 'image_url', image_url: { url: referenceTo(id) } } : placeholder,
    ),
    ...(content ? [{ type: 'text', text: content }] : []),
  ];
}

/** The messages of a request as text alone. */
export function withoutImages(messages: readonly unknown[]): unknown[] {
  return messages.map((message) => {
    if (!isFields(message) || !Array.isArray(message.content)) return message;
    const content = message.content.map(({ type, text }) => (type === 'text' ? text : placeholder.text)).join('\n');
    return { ...message, content };
  });
}

const none: ReadonlySet<string> = new Set();

/** Null: nothing was said. */
export function messageToBody(message: MessageRow, shown = none): WireMessage | null {
  const { role, content, reasoning, toolCalls, toolCallId } = message;
  if (role === 'tool') return { role, tool_call_id: toolCallId, content: content ?? '' };
  if (role !== 'assistant') return { role, content: userContent(message, shown) };
  if (!content && !toolCalls) return null;
  return {
    role,
    content: content ?? '',
    ...(toolCalls ? { ...(reasoning ? { reasoning_content: reasoning } : {}), tool_calls: toolCalls } : {}),
  };
}

const titleLength = 60;

export function titleOf(content: string): string {
  const line = content.split('\n').find((part) => part.trim() !== '') ?? '';
  const plain = line.replaceAll(/\p{Cc}+/gu, ' ').trim();
  const letters = [...plain];
  return letters.length <= titleLength
    ? plain
    : `${letters
        .slice(0, titleLength - 1)
        .join('')
        .trimEnd()}…`;
}
