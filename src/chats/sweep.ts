import type { Lookout } from '#db';
import { createRounds, joinRounds, type Rounds } from '#kernel';
import { lost } from './message-error.ts';
import { type PayingDeps, payOldCharges } from './run-turn.ts';
import { endLostAnswers, endWaitingAnswers, isAnyAnswerLost } from './turns.store.ts';

const lookEveryMs = 10_000;
/** Whoever waits for a model asks again within a minute. */
const waitingS = 600;

export type SweepOptions = PayingDeps & {
  lookout: Lookout;
  /** Pause between looks for what has been left for a minute and more. */
  tidyMs?: number;
};

/** Ends answers that nobody makes any more, and pays what dead processes left unpaid. */
export function createSweep({ lookout, tidyMs = 30_000, ...deps }: SweepOptions): Rounds {
  async function tidy(): Promise<void> {
    await endWaitingAnswers(deps.database, { olderThanS: waitingS });
    await payOldCharges(deps);
  }

  const onTrouble = (error: unknown) => deps.log.warn({ err: error }, 'chats are not tidied yet');
  return joinRounds([
    lookout.look<boolean>({
      ...{ question: isAnyAnswerLost, pauseMs: lookEveryMs, onTrouble },
      work: async (isAny) => (isAny === false ? null : endLostAnswers(deps.database, lost, null)),
    }),
    createRounds({ pauseMs: tidyMs, first: 'after a pause', work: tidy, onTrouble }),
  ]);
}
