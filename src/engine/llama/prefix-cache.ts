import type { NativeCheckpoint, NativeContext } from './addon.ts';
import { Checkpoints, checkpointLimits, type Prompt } from './checkpoints.ts';
import { fileBytes } from './model-file.ts';
import type { BatchStep } from './scheduler.ts';

export type AttentionFacts = {
  /** The attention of some layers covers so many tokens only; null: none, as far as the file says. */
  window: number | null;
  /** Some layers keep one state instead of a cell for each token. */
  isRecurrent: boolean;
};

type Model = { facts: { attention: AttentionFacts }; createCheckpoint: () => NativeCheckpoint };
type Cells = Pick<NativeContext, 'removeTokenCellsFromSequence' | 'getSequenceKvCacheMinPosition'>;

const noSample = new Uint32Array(0);

/** Not every sequence of the model can be cut back to any token. */
export function needsCheckpoints({ window, isRecurrent }: AttentionFacts): boolean {
  return window !== null || isRecurrent;
}

/** Prepares sequences for prompts that begin with what is in their cells. */
export class PrefixCache {
  readonly #facts: AttentionFacts;
  /** null: every sequence of this model can be cut back to any token. */
  readonly #checkpoints: Checkpoints | null;
  readonly #copying = new WeakSet<NativeContext>();

  constructor({ facts: { attention }, createCheckpoint }: Model, config: { sequences: number; ggufPath: string }) {
    this.#facts = attention;
    const limits = checkpointLimits(config.sequences, fileBytes(config.ggufPath));
    this.#checkpoints = needsCheckpoints(attention) ? new Checkpoints(createCheckpoint, limits) : null;
  }

  get needCheckpoints(): boolean {
    return this.#checkpoints !== null;
  }

  /** Brings the cells of a sequence into the state that a prompt begins with. Returns how many of its tokens they hold. */
  async makeReady(
    context: NativeContext,
    { sequence, keep, copyFrom }: { sequence: number; keep: number; copyFrom: number | null },
    prompt: Prompt | undefined,
  ): Promise<number> {
    if (copyFrom !== null) await this.copy(context, { from: copyFrom, to: sequence });
    if (cutBack(context, { sequence, keep }, this.#facts)) return keep;
    if (prompt !== undefined && keep > 0) {
      const restored = await this.#restore(context, { sequence, keep }, prompt);
      if (restored > 0) return restored;
    }
    context.disposeSequence(sequence);
    return 0;
  }

  async copy(context: NativeContext, { from, to }: { from: number; to: number }): Promise<void> {
    this.#copying.add(context);
    await context.copySequenceStateFromOtherSequence(to, from);
  }

  /** A step is done: takes its checkpoints, from which prompts that begin with the same tokens can go on. undefined: a request that is over. */
  async stepDone(
    context: NativeContext,
    step: BatchStep,
    promptOf: (requestId: number) => Prompt | undefined,
  ): Promise<void> {
    this.#copying.delete(context);
    for (const { requestId, sequence, position, tokens, checkpoint } of step.items) {
      const prompt = checkpoint ? promptOf(requestId) : undefined;
      if (prompt === undefined) continue;
      const held = prompt.tokens.subarray(0, position + tokens.length);
      await this.#checkpoints?.take(context, sequence, { scope: prompt.scope, tokens: held });
    }
  }

  forget(context: NativeContext): void {
    this.#checkpoints?.forget(context);
  }

  async #restore(
    context: NativeContext,
    { sequence, keep }: { sequence: number; keep: number },
    { scope, tokens }: Prompt,
  ): Promise<number> {
    const { window, isRecurrent } = this.#facts;
    const found = this.#checkpoints?.find(context, { scope, tokens: tokens.subarray(0, keep) });
    if (found === undefined || found === null) return 0;
    if (window !== null && this.#copying.has(context)) {
      // Recurrent layers have not been cut back.
      const position = isRecurrent ? context.getSequenceKvCacheMaxPosition(sequence) + 1 : keep;
      if (!(await copyNow(context, sequence, position))) return 0;
      this.#copying.delete(context);
    }
    return (await found.restore(sequence)) ? found.tokens : 0;
  }
}

/**
 * Windows of layers are copied with the next decoding, from and over whatever has been put there since: some token that is fed at
 * the next position makes it happen, and is removed with all behind the checkpoint. false: it could not be fed.
 */
function copyNow(context: NativeContext, sequence: number, position: number): Promise<boolean> {
  context.initBatch(1);
  context.addToBatch(sequence, position, Uint32Array.of(0), noSample);
  return context.decodeBatch().then(
    () => true,
    () => false,
  );
}

/**
 * Removes the cells of a sequence from `keep` on. false: those in front of it are not all there, and the sequence has to be read
 * again. llama.cpp forgets cells that have left the window of their layer, and says nothing when a sequence is cut back to where they
 * are needed again.
 */
export function cutBack(context: Cells, { sequence, keep }: { sequence: number; keep: number }, facts: AttentionFacts) {
  if (keep === 0 || !context.removeTokenCellsFromSequence(sequence, keep, -1)) return false;
  const first = context.getSequenceKvCacheMinPosition(sequence);
  // The one state of recurrent layers cannot be cut back, which llama.cpp says; it is that of the last token, if it is there.
  if (facts.isRecurrent && facts.window === null) return first === keep - 1;
  const neededFrom = facts.window === null ? 0 : Math.max(0, keep - facts.window);
  return first >= 0 && first <= neededFrom;
}
