import { createItemCounter } from '#engine';
import { BlockJudge, type CountTexts, type Yardstick } from './block-judge.ts';
import { JudgeThreads } from './judge-threads.ts';
import type { Judged } from './judged.ts';
import type { RowBlock } from './row-block.ts';

/** A block is returned with its verdict, because its memory may have been moved to another thread and back. */
export type JudgedBlock = { block: RowBlock; judged: Judged };

export type Judges = {
  /** Blocks that they have use for at a time. */
  atOnce: number;
  judge: (block: RowBlock) => Promise<JudgedBlock>;
  /** Takes the memory of a verdict back. */
  release: (judged: Judged) => void;
  close: () => Promise<void>;
};

export type JudgesOptions = {
  countTexts: CountTexts;
  /** 0: this one does it all. */
  threads: number;
};

/** What is judged here while tokens of the one before are asked for. */
const atOnceHere = 3;
/** A thread has the next ones at hand. */
const atOncePerThread = 3;
/** Memory of one verdict; more is taken where it is too small. */
const examplesBytes = 3 << 17;
/** Larger blocks hold large rows: these are judged here, where there is room for what they become. */
const mostThreadBytes = 1 << 19;

/** Judges in threads what they can take, and all else here. */
export function createJudges(yardstick: Yardstick, { countTexts, threads }: JudgesOptions): Judges {
  const judge = new BlockJudge(yardstick, { createItemCounter, countTexts });
  const others = threads > 0 ? new JudgeThreads(yardstick, { countTexts, threads }) : null;
  const memories: ArrayBuffer[] = [];
  const atOnce = others ? threads * atOncePerThread : atOnceHere;

  return {
    atOnce,
    async judge(block) {
      const memory = memories.pop() ?? new ArrayBuffer(examplesBytes);
      if (others && block.type === 'lines' && block.block.buffer.length <= mostThreadBytes)
        return others.judge(block.block, memory);
      return { block, judged: await judge.judge(block, memory) };
    },
    release({ examples }) {
      if (memories.length < atOnce && examples.buffer.byteLength <= mostThreadBytes * 4) memories.push(examples.buffer);
    },
    close: async () => others?.close(),
  };
}
