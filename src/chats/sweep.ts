import type { Billing } from '#billing';
import type { Database } from '#db';
import type { LiveLog } from './live-answer.ts';
import { lost } from './message-error.ts';
import { payOldCharges } from './run-turn.ts';
import { endLostAnswers, endWaitingAnswers } from './turns.store.ts';

export type Sweep = {
  start: () => void;
  /** One round. */
  sweep: () => Promise<void>;
  /** Waits for the round under way. Rejects never. */
  stop: () => Promise<void>;
};

const sweepEveryMs = 5_000;
/** Whoever waits for a model asks again within a minute. */
const waitingS = 600;

/** Ends answers that nobody makes any more, and pays what dead processes left unpaid. */
export function createSweep({ database, billing, log }: { database: Database; billing: Billing; log: LiveLog }): Sweep {
  let timer: NodeJS.Timeout | null = null;
  let running: Promise<unknown> | null = null;

  async function sweep(): Promise<void> {
    await endLostAnswers(database, lost, null);
    await endWaitingAnswers(database, { olderThanS: waitingS });
    await payOldCharges({ database, billing, log });
  }

  function sweepQuietly(): void {
    running ??= sweep()
      .catch((error: unknown) => log.warn({ err: error }, 'chats are not tidied yet'))
      .finally(() => {
        running = null;
      });
  }

  return {
    start() {
      timer ??= setInterval(sweepQuietly, sweepEveryMs).unref();
    },
    sweep,
    async stop() {
      if (timer) clearInterval(timer);
      await running;
    },
  };
}
