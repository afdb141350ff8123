import { recordActivity, systemActor } from '#activity';
import type { Database, Sql } from '#db';
import { createIntervalTask, formatCredits, type Log, type Micro } from '#kernel';
import { claimMarks, listAccountsBehind, rowsAtOnce, type SummedUp, sumUp } from './sums.store.ts';

/**
 * Sums the ledger up in the background, so that lists and totals need not read it. Readers are exact without it: it
 * only bounds how much of the ledger they read. On the way it notices accounts whose credits have become low.
 */
export type UsageSums = {
  /** Accounts with new rows, to be added here. A forgotten one costs time only: the next sweep finds it. */
  changed: Set<string>;
  /** Sums everything up that is there now. */
  catchUp: () => Promise<void>;
  /** @param options.sweeps false: sums up what has changed here, and leaves it to others to look for what was forgotten. */
  start: (options?: { sweeps: boolean }) => void;
  stop: () => Promise<void>;
};

/** Pauses between two runs; rows that come meanwhile are summed up together, which costs less. */
type UsageSumsTiming = { pauseMs: number; sweepMs: number };

export type UsageSumsOptions = {
  database: Database;
  /** Below it, credits are low. */
  lowMicro: Micro;
  log?: Log;
  timing?: Partial<UsageSumsTiming>;
};

const defaultTiming: UsageSumsTiming = { pauseMs: 10_000, sweepMs: 10 * 60_000 };

const accountsAtOnce = 16;
const accountsPerSweepPage = 1_000;
export function createUsageSums(options: UsageSumsOptions): UsageSums {
  const { database, lowMicro, log, timing } = options;
  const times = { ...defaultTiming, ...timing };
  const changed = new Set<string>();
  let stopping = false;

  /** @returns accounts that have more rows than one statement takes, and those that another replica is at work on. */
  async function sumTogether(accountIds: readonly string[]): Promise<{ full: string[]; busy: string[] }> {
    return database.transaction(async (tx) => {
      const claimed = await claimMarks(tx, accountIds);
      const done = await sumUp(tx, { accountIds: claimed, lowMicro });
      for (const account of done) if (account.becameLow) await recordLow(tx, account, lowMicro);
      const full = done.filter(({ rows }) => rows === rowsAtOnce).map(({ accountId }) => accountId);
      return { full, busy: accountIds.filter((id) => !claimed.includes(id)) };
    });
  }

  async function sumChanged(): Promise<void> {
    const accountIds = [...changed];
    changed.clear();
    while (accountIds.length > 0 && !stopping) {
      const part = accountIds.splice(0, accountsAtOnce);
      try {
        const { full, busy } = await sumTogether(part);
        accountIds.push(...full);
        for (const id of busy) changed.add(id);
      } catch (error) {
        for (const id of [...part, ...accountIds]) changed.add(id);
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
      for (const id of behind) changed.add(id);
      after = next;
    }
  }

  const runs = createIntervalTask({
    pauseMs: times.pauseMs,
    first: 'at once',
    work: sumChanged,
    onError: (error) => log?.warn({ err: error }, 'summing of usage failed'),
  });
  const sweeps = createIntervalTask({
    pauseMs: times.sweepMs,
    first: 'at once',
    work: sweep,
    onError: (error) => log?.warn({ err: error }, 'sweep of usage failed'),
  });

  return {
    changed,
    async catchUp() {
      await sweep();
      while (changed.size > 0) await sumChanged();
    },
    start(options = { sweeps: true }) {
      stopping = false;
      runs.start();
      if (options.sweeps) sweeps.start();
    },
    async stop() {
      stopping = true;
      await Promise.all([runs.stop(), sweeps.stop()]);
    },
  };
}

/** In the transaction that moves the mark past the fall, so that each fall is recorded once. */
async function recordLow(tx: Sql, { accountId, balanceMicro }: SummedUp, lowMicro: Micro): Promise<void> {
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
