import type { LiveText } from './answer-stream.ts';
import type { Waiting } from './patient.ts';
import type { Message } from './playground-queries.ts';

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
};

/** Without what is being made anew or replaced: that is shown as it arrives. */
export function messagesBeside(live: Live | null, messages: readonly Message[]): readonly Message[] {
  if (live === null) return messages;
  const from = messages.findIndex(({ id }) => id === live.replaces);
  const kept = from < 0 ? messages : messages.slice(0, from);
  const answer = kept.findIndex(({ id }) => id === live.messageId);
  // While it is read anew, what was just said is in the list already.
  return kept.filter((_, at) => at !== answer && !(live.said !== null && answer >= 0 && at === answer - 1));
}
