import type { LiveText } from './answer-stream.ts';
import { isInProgress, type Message } from './playground-queries.ts';
import type { Waiting } from './retry-while-loading.ts';
import type { SentResult } from './send-message.ts';

/** An answer that is arriving in this page. */
export type Live = {
  /** The id of the message of the attempt; null: not known yet. */
  messageId: string | null;
  /** A message that was sent, until it is in the list. */
  content: string | null;
  /** Sent with it. */
  images: readonly string[];
  /** Results of tools that were sent, until they are in the list. */
  results: readonly SentResult[];
  /** The edited message and those after it are being replaced. */
  replacedId: string | null;
  text: LiveText;
  waiting: Waiting | null;
};

/** An answer that goes on at the server: it began before this page was opened, or its connection broke. */
export function followedIn(messages: readonly Message[]): Live | null {
  const message = messages.findLast((each) => each.role === 'assistant' && isInProgress(each));
  if (!message) return null;
  const text = {
    content: message.content ?? '',
    reasoning: message.reasoning_content ?? '',
    toolCalls: (message.tool_calls ?? []).map((call) => call.function),
  };
  return { messageId: message.id, content: null, images: [], results: [], replacedId: null, text, waiting: null };
}

/** Without messages that are being replaced. */
export function messagesWithout(live: Live | null, messages: readonly Message[]): readonly Message[] {
  if (live === null) return messages;
  const from = messages.findIndex(({ id }) => id === live.replacedId);
  const kept = from < 0 ? messages : messages.slice(0, from);
  const answer = kept.findIndex(({ id }) => id === live.messageId);
  // During the refetch the new message is in the list already.
  const sent = live.content === null ? live.results.length : 1;
  return kept.filter((_, at) => answer < 0 || at < answer - sent || at > answer);
}
