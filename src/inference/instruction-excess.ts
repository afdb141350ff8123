import type { Engine, Target } from '#engine';
import { Fault, fault } from '#kernel';
import { type ContextExcess, contextExcessOf } from './context-excess.ts';
import type { TextRequest } from './model-request.ts';

type Wanted = {
  target: Target;
  prompt: TextRequest['prompt'];
  /** What the answer must have room for; null: nothing in particular. */
  maxTokens: number | null;
  scope: string;
};

/**
 * What to say of a prompt that is too long: that instructions and tools leave no room for a conversation, where that is why.
 * Agents shorten the conversation when they read of a context overflow, with a call of their own, and go on. Where no
 * conversation is short enough, they would do so again and again, and pay for each: so these words are none of those that
 * they know (opencode, Cline, Qwen Code and Continue look for many).
 */
export async function blameInstructions(
  engine: Engine,
  { wanted, error }: { wanted: Wanted; error: unknown },
  signal: AbortSignal,
): Promise<unknown> {
  const excess = error instanceof Fault ? contextExcessOf(error) : null;
  // Where the answer alone is too long, other words help.
  if (excess === null || roomOf(wanted, excess) <= 0) return error;
  const tokens = await countInstructions(engine, wanted, signal);
  if (tokens === null || !leavesNoRoom(tokens, wanted, excess)) return error;
  return instructionExcess(tokens, wanted, excess);
}

/** Tokens of what no client leaves out: what the system says at the beginning, and tools. null: nobody can say. */
async function countInstructions(engine: Engine, wanted: Wanted, signal: AbortSignal): Promise<number | null> {
  const { prompt, target, scope } = wanted;
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

const roomOf = ({ maxTokens }: Wanted, { maxContextTokens }: ContextExcess): number =>
  maxContextTokens - (maxTokens ?? 1);

function leavesNoRoom(tokens: number, wanted: Wanted, excess: ContextExcess): boolean {
  const { maxContextTokens } = excess;
  // Short instructions are not the trouble.
  if (tokens < Math.min(1_024, maxContextTokens / 4)) return false;
  // What an agent makes of a conversation still takes some room.
  const least = wanted.prompt.tools.length > 0 ? Math.min(2_048, maxContextTokens / 8) : 0;
  return roomOf(wanted, excess) - tokens < least;
}

function instructionExcess(tokens: number, { prompt, maxTokens }: Wanted, excess: ContextExcess): Fault {
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
