import type { Billing } from '#billing';
import type { Database } from '#db';
import { createRounds, type Rounds } from '#kernel';
import type { LiveLog } from './live-answer.ts';
import { lost } from './message-error.ts';
import { payOldCharges } from './run-turn.ts';
import { endLostAnswers, endWaitingAnswers } from './turns.store.ts';

const sweepEveryMs = 5_000;
/** Whoever waits for a model asks again within a minute. */
const waitingS = 600;

/** Ends answers that nobody makes any more, and pays what dead processes left unpaid. */
export function createSweep({
  database,
  billing,
  log,
}: {
  database: Database;
  billing: Billing;
  log: LiveLog;
}): Rounds {
  async function sweep(): Promise<void> {
    await endLostAnswers(database, lost, null);
    await endWaitingAnswers(database, { olderThanS: waitingS });
    await payOldCharges({ database, billing, log });
  }

  return createRounds({
    pauseMs: sweepEveryMs,
    first: 'after a pause',
    work: sweep,
    onTrouble: (error) => log.warn({ err: error }, 'chats are not tidied yet'),
  });
}
