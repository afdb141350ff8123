import type { Yardstick } from './block-judge.ts';
import type { Judged } from './judged.ts';

/** What a thread that judges is started with. */
export type JudgeStart = {
  yardstick: Yardstick;
  /** Where the engine's way to count is (`itemCounterModule`). */
  itemCounter: string;
};

/** Memory goes along with each message, and comes back with the answer. */
export type ToJudge =
  | { type: 'block'; id: number; text: ArrayBuffer; bytes: number; isCut: boolean; memory: ArrayBuffer }
  | { type: 'counted'; id: number; counts: ArrayLike<number> };

/** `ask`: tokens of texts, by whoever has the tokeniser. */
export type FromJudge =
  | { type: 'judged'; id: number; text: ArrayBuffer; judged: JudgedParts }
  | { type: 'failed'; id: number; message: string }
  | { type: 'ask'; id: number; texts: readonly string[] };

/** A buffer does not travel as one. */
type JudgedParts = Omit<Judged, 'examples'> & { memory: ArrayBuffer; exampleBytes: number };
