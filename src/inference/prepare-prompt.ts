import type { Engine, PreparedChat, Target } from '#engine';
import { Fault } from '#kernel';
import { contextExcess, contextExcessOf } from './context-excess.ts';
import { blameInstructions } from './instruction-excess.ts';
import type { TextRequest } from './model-request.ts';
import { withoutOldestTurns } from './oldest-turns.ts';

type Wanted = {
  target: Target;
  prompt: TextRequest['prompt'];
  /** null: the rest of the context. */
  maxTokens: number | null;
  scope: string;
  dropsOldestTurns: boolean;
  /** `maxTokens` is a bound, for which there need not be room. */
  fitsContext: boolean;
};

/** A prompt that fits, and how many tokens its answer may have. */
export type PreparedPrompt = PreparedChat & { maxTokens: number };

/** Of a context that an answer may use up, what a prompt that is shortened leaves at least. */
const leastRoom = (maxContextTokens: number) => Math.min(1_024, Math.floor(maxContextTokens / 4));

/** Prepares a prompt, without its oldest turns as far as that is wanted and needed. Throws what `contextExcess` makes. */
export async function preparePrompt(engine: Engine, wanted: Wanted, signal: AbortSignal): Promise<PreparedPrompt> {
  for (let { prompt } = wanted; ; ) {
    // Where nothing can go, no more room is asked for than there must be.
    const dropsOldestTurns = wanted.dropsOldestTurns && withoutOldestTurns(prompt.messages) !== null;
    try {
      return await prepareOnce(engine, { ...wanted, prompt, dropsOldestTurns }, signal);
    } catch (error) {
      const needed = neededTokens(wanted);
      const shorter = dropsOldestTurns ? shortened(prompt, needed, error) : null;
      if (shorter === null)
        throw await blameInstructions(engine, { wanted: { ...wanted, maxTokens: needed }, error }, signal);
      prompt = shorter;
    }
  }
}

/** Tokens that an answer must have room for; null: no fixed number. */
const neededTokens = ({ maxTokens, fitsContext }: Wanted) => (fitsContext ? null : maxTokens);

async function prepareOnce(engine: Engine, wanted: Wanted, signal: AbortSignal): Promise<PreparedPrompt> {
  const { target, prompt, maxTokens, scope, dropsOldestTurns } = wanted;
  const prepared = await engine.prepareChat({ ...prompt, target, maxTokens: maxTokens ?? 1, scope }, signal);
  const { promptTokens, maxContextTokens } = prepared;
  const needed = neededTokens(wanted);
  const least = needed ?? (dropsOldestTurns ? leastRoom(maxContextTokens) : 1);
  const excess = contextExcess({ promptTokens, maxTokens: least, maxContextTokens });
  if (excess) {
    engine.release(prepared.handle);
    throw excess;
  }
  // Where nobody has counted, the engine itself knows what is left.
  const rest = promptTokens === 0 ? Infinity : maxContextTokens - promptTokens;
  const most = maxTokens === null || maxTokens >= maxContextTokens ? Infinity : maxTokens;
  return { ...prepared, maxTokens: needed ?? Math.min(most, rest) };
}

/** Without as many of the oldest turns as are too many, by their share of the characters; null when nothing can go. */
function shortened(
  prompt: TextRequest['prompt'],
  maxTokens: number | null,
  error: unknown,
): TextRequest['prompt'] | null {
  const excess = error instanceof Fault ? contextExcessOf(error) : null;
  if (excess === null) return null;
  const { promptTokens, maxContextTokens } = excess;
  const room = maxContextTokens - (maxTokens ?? leastRoom(maxContextTokens));
  const sizes = new Map(prompt.messages.map((message) => [message, JSON.stringify(message).length]));
  const size = (messages: TextRequest['prompt']['messages']) =>
    messages.reduce((sum, message) => sum + (sizes.get(message) ?? 0), 0);
  const most = (size(prompt.messages) * room) / Math.max(1, promptTokens);
  let messages = withoutOldestTurns(prompt.messages);
  while (messages !== null && size(messages) > most) {
    const shorter = withoutOldestTurns(messages);
    if (shorter === null) break;
    messages = shorter;
  }
  return messages && { ...prompt, messages };
}
