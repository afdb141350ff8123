import { createRounds, joinRounds, type Rounds } from './rounds.ts';

/** What is done from time to time, on any replica. */
export type Duties = Rounds & {
  /** Does each of them now; rejects with what one has failed with, when all are over. */
  tend: () => Promise<void>;
};

/** Leaves the rest to a later round when it is told that the process ends. */
type Duty = (isStopped: () => boolean) => Promise<unknown>;

export type DutiesOptions = {
  duties: Record<string, Duty>;
  pauseMs: number;
  /** Told what a round of a duty has failed with; the next one comes nevertheless. */
  onTrouble: (error: unknown, duty: string) => void;
};

/** Each duty makes its own rounds: one that fails, or takes its time, must not keep the others from their turn. */
export function createDuties({ duties, pauseMs, onTrouble }: DutiesOptions): Duties {
  let isStopped = false;
  const works = Object.entries(duties).map(([name, duty]) => ({ name, work: () => duty(() => isStopped) }));
  const rounds = joinRounds(
    works.map(({ name, work }) =>
      createRounds({ pauseMs, first: 'after a pause', work, onTrouble: (error) => onTrouble(error, name) }),
    ),
  );
  return {
    start: rounds.start,
    async tend() {
      const outcomes = await Promise.allSettled(works.map(({ work }) => work()));
      for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
    },
    async stop() {
      isStopped = true;
      await rounds.stop();
    },
  };
}
