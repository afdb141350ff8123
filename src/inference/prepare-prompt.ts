import type { Engine, PreparedChat, Target } from '#engine';
import { Fault, fault } from '#kernel';
import { type ContextExcess, contextExcess, contextExcessOf } from './context-excess.ts';
import type { TextRequest } from './model-request.ts';
import { withoutOldestTurns } from './oldest-turns.ts';

/** A prompt, and what its answer needs. */
export type PromptRequest = {
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

/** Prepares a prompt, without its oldest turns as far as that is needed and allowed. Throws what `contextExcess` makes. */
export async function preparePrompt(
  engine: Engine,
  request: PromptRequest,
  signal: AbortSignal,
): Promise<PreparedPrompt> {
  for (let { prompt } = request; ; ) {
    // Where nothing can go, no more room is asked for than there must be.
    const dropsOldestTurns = request.dropsOldestTurns && withoutOldestTurns(prompt.messages) !== null;
    try {
      return await prepareOnce(engine, { ...request, prompt, dropsOldestTurns }, signal);
    } catch (error) {
      const needed = neededTokens(request);
      const shorter = dropsOldestTurns ? shortened(prompt, needed, error) : null;
      if (shorter === null) throw await blameInstructions(engine, { ...request, maxTokens: needed }, error, signal);
      prompt = shorter;
    }
  }
}

/** Tokens that an answer must have room for; null: no fixed number. */
const neededTokens = ({ maxTokens, fitsContext }: PromptRequest) => (fitsContext ? null : maxTokens);

async function prepareOnce(engine: Engine, request: PromptRequest, signal: AbortSignal): Promise<PreparedPrompt> {
  const { target, prompt, maxTokens, scope, dropsOldestTurns } = request;
  const prepared = await engine.prepareChat({ ...prompt, target, maxTokens: maxTokens ?? 1, scope }, signal);
  const { promptTokens, maxContextTokens } = prepared;
  const needed = neededTokens(request);
  const least = needed ?? (dropsOldestTurns ? leastRoom(maxContextTokens) : 1);
  if (promptTokens + least > maxContextTokens) {
    engine.release(prepared.handle);
    throw contextExcess({ promptTokens, maxTokens: least, maxContextTokens });
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

/** `maxTokens`: what the answer must have room for; null: nothing in particular. */
type InstructionRequest = Pick<PromptRequest, 'target' | 'prompt' | 'maxTokens' | 'scope'>;

/**
 * What to say of a prompt that is too long: that instructions and tools leave no room for a conversation, where that is why.
 * Agents shorten the conversation when they read of a context overflow, with a call of their own, and go on. Where no
 * conversation is short enough, they would do so again and again, and pay for each: so these words are none of those that
 * they know (opencode, Cline, Qwen Code and Continue look for many).
 */
export async function blameInstructions(
  engine: Engine,
  request: InstructionRequest,
  error: unknown,
  signal: AbortSignal,
): Promise<unknown> {
  const excess = error instanceof Fault ? contextExcessOf(error) : null;
  // Where the answer alone is too long, other words help.
  if (excess === null || capacityOf(request, excess) <= 0) return error;
  const tokens = await countInstructions(engine, request, signal);
  if (tokens === null || !isTooLong(tokens, request, excess)) return error;
  return instructionExcess(tokens, request, excess);
}

/** Tokens of what no client leaves out: what the system says at the beginning, and tools. null: nobody can say. */
async function countInstructions(
  engine: Engine,
  request: InstructionRequest,
  signal: AbortSignal,
): Promise<number | null> {
  const { prompt, target, scope } = request;
  const end = prompt.messages.findIndex(({ role }) => role !== 'system');
  const messages = prompt.messages.slice(0, Math.max(0, end));
  if (messages.length === 0 && prompt.tools.length === 0) return null;
  // Many templates want a message of the user.
  const shortest = { ...prompt, target, scope, messages: [...messages, { role: 'user' as const, content: '-' }] };
  try {
    const { handle, promptTokens } = await engine.prepareChat(shortest, signal);
    engine.release(handle);
    return promptTokens || null;
  } catch (error) {
    return (error instanceof Fault && contextExcessOf(error)?.promptTokens) || null;
  }
}

const capacityOf = ({ maxTokens }: InstructionRequest, { maxContextTokens }: ContextExcess): number =>
  maxContextTokens - (maxTokens ?? 1);

function isTooLong(tokens: number, request: InstructionRequest, excess: ContextExcess): boolean {
  const { maxContextTokens } = excess;
  // Short instructions are not the reason.
  if (tokens < Math.min(1_024, maxContextTokens / 4)) return false;
  // What an agent makes of a conversation still takes some room.
  const least = request.prompt.tools.length > 0 ? Math.min(2_048, maxContextTokens / 8) : 0;
  return capacityOf(request, excess) - tokens < least;
}

function instructionExcess(tokens: number, { prompt, maxTokens }: InstructionRequest, excess: ContextExcess): Fault {
  const { promptTokens, maxContextTokens } = excess;
  const hasTools = prompt.tools.length > 0;
  const what = hasTools ? 'instructions and tools' : 'instructions';
  const answer = maxTokens === null ? '' : `, the answer may take ${maxTokens}`;
  return fault('invalid_request', {
    param: hasTools ? 'tools' : 'messages',
    message:
      `The ${what} alone take ${tokens} tokens${answer}, and this model takes ${maxContextTokens} in all: no conversation ` +
      `fits, however short. Use a model with more room, or send ${hasTools ? 'fewer tools or shorter instructions' : 'shorter instructions'}.`,
    details: {
      instruction_tokens: tokens,
      prompt_tokens: promptTokens,
      max_tokens: maxTokens,
      max_context_tokens: maxContextTokens,
    },
  });
}
