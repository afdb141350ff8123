import { createRounds, joinRounds, type Rounds } from '#kernel';
import { lost } from './message-error.ts';
import { type PayingDeps, payOldCharges } from './run-turn.ts';
import { endLostAnswers, endWaitingAnswers } from './turns.store.ts';

const lookEveryMs = 10_000;
/** Whoever waits for a model asks again within a minute. */
const waitingS = 600;

export type SweepOptions = PayingDeps & {
  /** Pause between looks for what has been left for a minute and more. */
  tidyMs?: number;
};

/** Ends answers that nobody makes any more, and pays what dead processes left unpaid. */
export function createSweep({ tidyMs = 30_000, ...deps }: SweepOptions): Rounds {
  async function tidy(): Promise<void> {
    await endWaitingAnswers(deps.database, { olderThanS: waitingS });
    await payOldCharges(deps);
  }

  const onTrouble = (error: unknown) => deps.log.warn({ err: error }, 'chats are not tidied yet');
  return joinRounds([
    createRounds({
      pauseMs: lookEveryMs,
      first: 'after a pause',
      work: () => endLostAnswers(deps.database, lost, null),
      onTrouble,
    }),
    createRounds({ pauseMs: tidyMs, first: 'after a pause', work: tidy, onTrouble }),
  ]);
}
