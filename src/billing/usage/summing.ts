import { recordActivity, systemActor } from '#activity';
import type { Database, Sql } from '#db';
import { type Clock, createIntervalTask, formatCredits, type Log, type Micro, systemClock } from '#kernel';
import { claimMarks, listAccountsBehind, rowsAtOnce, type SummedUp, sumUp } from './sums.store.ts';

/**
 * Sums the ledger up in the background, so that lists and totals need not read it. Readers are exact without it: it
 * only bounds how much of the ledger they read. On the way it notices accounts whose credits have become low.
 */
export type UsageSums = {
  /** Says that an account has a new row. Forgetting it costs time only: the next sweep finds the account. */
  touch: (accountId: string) => void;
  /** Sums everything up that is there now. */
  catchUp: () => Promise<void>;
  /** @param options.sweeps false: sums up what was touched here, and leaves it to others to look for what was forgotten. */
  start: (options?: { sweeps: boolean }) => void;
  stop: () => Promise<void>;
};

type UsageSumsTiming = {
  pauseMs: number;
  sweepMs: number;
  /** Few rows wait so long for others: summed up together they cost less. */
  patienceMs: number;
};

export type UsageSumsOptions = {
  database: Database;
  /** Below it, credits are low. */
  lowMicro: Micro;
  log?: Log;
  clock?: Clock;
  timing?: Partial<UsageSumsTiming>;
};

const defaultTiming: UsageSumsTiming = { pauseMs: 1_000, sweepMs: 10 * 60_000, patienceMs: 10_000 };

const accountsPerTurn = 16;
const accountsPerSweepPage = 1_000;
/** So many rows are worth a turn at once. */
const manyRows = 500;

type Touched = { rows: number; sinceMs: number };

export function createUsageSums(options: UsageSumsOptions): UsageSums {
  const { database, lowMicro, log, clock = systemClock, timing } = options;
  const times = { ...defaultTiming, ...timing };
  const touched = new Map<string, Touched>();
  let stopping = false;

  function touch(accountId: string, rows = 1): void {
    const known = touched.get(accountId);
    if (known) known.rows += rows;
    else touched.set(accountId, { rows, sinceMs: clock.monotonicMs() });
  }

  function takeDue(): string[] {
    const before = clock.monotonicMs() - times.patienceMs;
    const due = [...touched].filter(([, { rows, sinceMs }]) => rows >= manyRows || sinceMs <= before);
    for (const [accountId] of due) touched.delete(accountId);
    return due.map(([accountId]) => accountId);
  }

  /** Gives the accounts that are not done: more rows than one turn takes, or another replica is at work on them. */
  async function turn(accountIds: readonly string[]): Promise<string[]> {
    return database.transaction(async (tx) => {
      const claimed = await claimMarks(tx, accountIds);
      const done = await sumUp(tx, { accountIds: claimed, lowMicro });
      for (const account of done) if (account.becameLow) await tellLow(tx, account, lowMicro);
      const full = done.filter(({ rows }) => rows === rowsAtOnce).map(({ accountId }) => accountId);
      return [...full, ...accountIds.filter((id) => !claimed.includes(id))];
    });
  }

  /** One turn for each of these accounts; who is not done is due again at once. */
  async function work(accountIds: string[]): Promise<void> {
    while (accountIds.length > 0 && !stopping) {
      const part = accountIds.splice(0, accountsPerTurn);
      try {
        for (const id of await turn(part)) touch(id, manyRows);
      } catch (error) {
        for (const id of [...part, ...accountIds]) touch(id, manyRows);
        throw error;
      }
    }
  }

  async function sweep(): Promise<void> {
    for (let after: string | null = ''; after !== null && !stopping; ) {
      const { behind, next }: { behind: string[]; next: string | null } = await listAccountsBehind(database, {
        after,
        limit: accountsPerSweepPage,
      });
      for (const id of behind) touch(id);
      after = next;
    }
  }

  const turns = createIntervalTask({
    pauseMs: times.pauseMs,
    first: 'at once',
    work: () => work(takeDue()),
    onError: (error) => log?.warn({ err: error }, 'usage is not summed up'),
  });
  const looks = createIntervalTask({
    pauseMs: times.sweepMs,
    first: 'at once',
    work: sweep,
    onError: (error) => log?.warn({ err: error }, 'no sweep of usage'),
  });

  return {
    touch,
    async catchUp() {
      await sweep();
      while (touched.size > 0) {
        const all = [...touched.keys()];
        touched.clear();
        await work(all);
      }
    },
    start({ sweeps } = { sweeps: true }) {
      stopping = false;
      turns.start();
      if (sweeps) looks.start();
    },
    async stop() {
      stopping = true;
      await Promise.all([turns.stop(), looks.stop()]);
    },
  };
}

/** In the transaction that moves the mark past the fall, so that each fall is told once. */
async function tellLow(tx: Sql, { accountId, balanceMicro }: SummedUp, lowMicro: Micro): Promise<void> {
  const balance = formatCredits(balanceMicro);
  await recordActivity(tx, {
    accountId,
    type: 'credits.low',
    severity: 'warning',
    actor: systemActor,
    subject: { kind: 'credits', id: accountId, label: 'Credits' },
    message: `Credits are low: ${balance} are left.`,
    data: { balance, threshold: formatCredits(lowMicro) },
  });
}
