import type { LiveText } from './answer-stream.ts';
import type { Message } from './playground-queries.ts';
import type { Waiting } from './retry-while-loading.ts';

/** An answer that is arriving in this page. */
export type Live = {
  /** The id of the message of the attempt; null: not known yet. */
  messageId: string | null;
  /** A message that was sent, until it is in the list. */
  content: string | null;
  /** The edited message and those after it are being replaced. */
  replacedId: string | null;
  text: LiveText;
  waiting: Waiting | null;
};

/** Without messages that are being replaced. */
export function messagesWithout(live: Live | null, messages: readonly Message[]): readonly Message[] {
  if (live === null) return messages;
  const from = messages.findIndex(({ id }) => id === live.replacedId);
  const kept = from < 0 ? messages : messages.slice(0, from);
  const answer = kept.findIndex(({ id }) => id === live.messageId);
  // During the refetch the new message is in the list already.
  return kept.filter((_, at) => at !== answer && !(live.content !== null && answer >= 0 && at === answer - 1));
}
