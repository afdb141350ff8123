import type { NativeContext } from './addon.ts';

/** What decides which cells of a sequence its next token needs. */
export type AttentionFacts = {
  /** Some layers attend to so many tokens only; null: none, as far as the file says. */
  window: number | null;
  /** Some layers keep one state instead of a cell for each token. */
  isRecurrent: boolean;
};

type Cells = Pick<NativeContext, 'removeTokenCellsFromSequence' | 'getSequenceKvCacheMinPosition'>;

/**
 * Removes the cells of a sequence from `keep` on. false: those in front of it are not all there, and the sequence has to be read
 * again. llama.cpp forgets cells that have left the window of their layer, and says nothing when a sequence is cut back to where they
 * are needed again.
 */
export function cutBack(context: Cells, { sequence, keep }: { sequence: number; keep: number }, facts: AttentionFacts) {
  if (keep === 0 || !context.removeTokenCellsFromSequence(sequence, keep, -1)) return false;
  // The one state of recurrent layers cannot be cut back, which llama.cpp says.
  if (facts.isRecurrent && facts.window === null) return true;
  const first = context.getSequenceKvCacheMinPosition(sequence);
  const neededFrom = facts.window === null ? 0 : Math.max(0, keep - facts.window);
  return first >= 0 && first <= neededFrom;
}
