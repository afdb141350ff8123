import type { ChatMessage } from '#engine';

/** The messages without the oldest turn, a message of the user with what answers it; null when only one turn is left. */
export function withoutOldestTurns(messages: ChatMessage[]): ChatMessage[] | null {
  const users = messages.flatMap(({ role }, index) => (role === 'user' ? [index] : []));
  const [first, second] = users;
  if (first === undefined || second === undefined) return null;
  return messages.filter(({ role }, index) => role === 'system' || index >= second);
}
