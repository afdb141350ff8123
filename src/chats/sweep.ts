import { createRounds, type Rounds } from '#kernel';
import { lost } from './message-error.ts';
import { type PayingDeps, payOldCharges } from './run-turn.ts';
import { endLostAnswers, endWaitingAnswers } from './turns.store.ts';

const sweepEveryMs = 5_000;
/** Whoever waits for a model asks again within a minute. */
const waitingS = 600;

/** Ends answers that nobody makes any more, and pays what dead processes left unpaid. */
export function createSweep(deps: PayingDeps): Rounds {
  async function sweep(): Promise<void> {
    await endLostAnswers(deps.database, lost, null);
    await endWaitingAnswers(deps.database, { olderThanS: waitingS });
    await payOldCharges(deps);
  }

  return createRounds({
    pauseMs: sweepEveryMs,
    first: 'after a pause',
    work: sweep,
    onTrouble: (error) => deps.log.warn({ err: error }, 'chats are not tidied yet'),
  });
}
