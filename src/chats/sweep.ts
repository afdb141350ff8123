import { createRounds, joinRounds, type Rounds } from '#kernel';
import { lost } from './message-error.ts';
import { type PayingDeps, payOldCharges } from './run-turn.ts';
import { endLostAnswers, endWaitingAnswers } from './turns.store.ts';

const lookEveryMs = 10_000;
/** For what has been left for a minute and more. */
const tidyEveryMs = 30_000;
/** Whoever waits for a model asks again within a minute. */
const waitingS = 600;

/** Ends answers that nobody makes any more, and pays what dead processes left unpaid. */
export function createSweep(deps: PayingDeps): Rounds {
  async function tidy(): Promise<void> {
    await endWaitingAnswers(deps.database, { olderThanS: waitingS });
    await payOldCharges(deps);
  }

  function roundsOf(work: () => Promise<unknown>, pauseMs: number): Rounds {
    const onTrouble = (error: unknown) => deps.log.warn({ err: error }, 'chats are not tidied yet');
    return createRounds({ pauseMs, first: 'after a pause', work, onTrouble });
  }

  return joinRounds([
    roundsOf(() => endLostAnswers(deps.database, lost, null), lookEveryMs),
    roundsOf(tidy, tidyEveryMs),
  ]);
}
