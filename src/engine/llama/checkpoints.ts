import type { NativeCheckpoint, NativeContext } from './addon.ts';

export type Prompt = { scope: string; tokens: Uint32Array };

export type CheckpointLimits = { count: number; bytes: number };

type Checkpoint = Prompt & { context: NativeContext; native: NativeCheckpoint; bytes: number };

/** Of a model with so many sequences and weights of this size: what all its checkpoints together may be. */
export function checkpointLimits(sequences: number, fileBytes: number): CheckpointLimits {
  return { count: sequences * checkpointsPerSequence, bytes: Math.max(leastBytes, fileBytes / 8) };
}

/** A conversation whose latest turn is written anew goes on from the turn before. */
const checkpointsPerSequence = 4;
/** With an eighth of the weights, taking one is quicker than a step. */
const leastBytes = 64e6;

/**
 * Tokens of a prompt behind its checkpoint. The next turn may differ there already: templates end a prompt with words for the
 * answer, as empty reasoning, which they leave out of the history. The same prompt again needs the output of its last token.
 */
const tokensBehindCheckpoint = 8;
/** A prompt with fewer tokens in front of it is quickly read again. */
const leastTokensOfCheckpoint = 64;

/** After how many tokens of a prompt its checkpoint is taken; 0: there is none. */
export function checkpointOf(promptTokens: number): number {
  const place = promptTokens - tokensBehindCheckpoint;
  return place < leastTokensOfCheckpoint ? 0 : place;
}

/**
 * What windows and recurrent layers of a model hold behind the first tokens of earlier prompts. It depends on the tokens and the
 * context (which has one adapter, or none) alone, so it can be put into any sequence of the context whose other layers hold cells
 * of the same tokens. The least recently used ones go when there are too many, or too large ones.
 */
export class Checkpoints {
  readonly #create: () => NativeCheckpoint;
  readonly #limits: CheckpointLimits;
  #stored: Checkpoint[] = [];
  /** Longer prompts have checkpoints that are too large. */
  #mostTokens = Infinity;

  constructor(create: () => NativeCheckpoint, limits: CheckpointLimits) {
    this.#create = create;
    this.#limits = limits;
  }

  get bytes(): number {
    return this.#stored.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  get count(): number {
    return this.#stored.length;
  }

  async take(context: NativeContext, sequence: number, { scope, tokens }: Prompt): Promise<void> {
    if (tokens.length > this.#mostTokens) return;
    if (this.find(context, { scope, tokens })?.tokens === tokens.length) return;
    const native = this.#create();
    try {
      await native.init(context, sequence);
    } catch {
      // Without it a prompt is read again, no more than that.
      native.dispose();
      return;
    }
    const bytes = native.size + tokens.byteLength;
    if (bytes > this.#limits.bytes) this.#mostTokens = tokens.length - 1;
    if (bytes > this.#limits.bytes || native.maxPos !== tokens.length - 1) {
      native.dispose();
      return;
    }
    this.#stored.push({ scope, tokens: tokens.slice(), context, native, bytes });
    while (this.count > this.#limits.count || this.bytes > this.#limits.bytes) this.#stored.shift()?.native.dispose();
  }

  /** The longest one of these tokens or the first of them; it counts as used. */
  find(context: NativeContext, { scope, tokens }: Prompt) {
    let found: Checkpoint | null = null;
    for (const each of this.#stored) {
      if (each.context !== context || each.scope !== scope || each.tokens.length <= (found?.tokens.length ?? 0))
        continue;
      if (each.tokens.length <= tokens.length && each.tokens.every((token, i) => token === tokens[i])) found = each;
    }
    if (found === null) return null;
    const { native, tokens: held } = found;
    this.#stored = [...this.#stored.filter((each) => each !== found), found];
    return {
      tokens: held.length,
      /** false: the sequence is in doubt. */
      restore: (sequence: number): Promise<boolean> =>
        context.restoreCheckpoint(native, held.length - 1, sequence).catch(() => false),
    };
  }

  forget(context: NativeContext): void {
    for (const each of this.#stored) if (each.context === context) each.native.dispose();
    this.#stored = this.#stored.filter((each) => each.context !== context);
  }
}
