import type { ChatMessage } from '#engine';

/**
 * The messages without the oldest turn: a message of the user with everything up to the next one. What the system says stays wherever
 * it stands, and so does the last turn. When nothing else is left, the oldest answer of that turn goes with the results of its calls,
 * down to the last answer: an agent may work for hundreds of calls at one question. null when nothing can go.
 *
 * A call and its result stay or go together, also where a message of the user stands between them.
 */
export function withoutOldestTurns(messages: ChatMessage[]): ChatMessage[] | null {
  const answers = answersOf(messages);
  const end = endOfOldestTurn(messages, answers);
  if (end !== null) return messages.filter(({ role }, index) => role === 'system' || index >= end);
  const [oldest, next] = new Set(answers.filter((answer) => answer !== null));
  if (oldest === undefined || next === undefined) return null;
  return messages.filter((_, index) => answers[index] !== oldest);
}

/** For each message the place where its answer begins; null: it is of none. What the model says at once, and results of its calls, are one. */
function answersOf(messages: readonly ChatMessage[]): (number | null)[] {
  const callers = callersOf(messages);
  const lastOf = lastPlaces(callers);
  let answer = 0;
  let last = -1;
  return callers.map((caller, index) => {
    if (caller === null) return null;
    const goesOn = messages[index]?.role === 'assistant' && messages[index - 1]?.role === 'assistant';
    if (index > last && !goesOn) answer = index;
    last = Math.max(last, lastOf.get(caller) ?? index);
    return answer;
  });
}

/** Of a result the message with its call; of one without a call, and of what the model says, the message itself. */
function callersOf(messages: readonly ChatMessage[]): (number | null)[] {
  /** Some models number their calls anew in every answer: the latest one counts. */
  const callers = new Map<string, number>();
  return messages.map((message, index) => {
    if (message.role === 'tool') return callers.get(message.toolCallId) ?? index;
    if (message.role !== 'assistant') return null;
    for (const { id } of message.toolCalls) callers.set(id, index);
    return index;
  });
}

const lastPlaces = (answers: readonly (number | null)[]) => new Map(answers.map((answer, index) => [answer, index]));

/** The message of the user that the next turn begins with; null: the oldest turn is the last one. */
function endOfOldestTurn(messages: readonly ChatMessage[], answers: readonly (number | null)[]): number | null {
  const lastOf = lastPlaces(answers);
  const first = messages.findIndex(({ role }) => role !== 'system');
  let last = first;
  for (const [index, { role }] of messages.entries()) {
    if (role === 'user' && index > last) return index;
    const answer = answers[index] ?? null;
    if (answer !== null) last = Math.max(last, lastOf.get(answer) ?? index);
  }
  return null;
}
