import { recordActivity, systemActor } from '#activity';
import type { Database, Sql } from '#db';
import { formatCredits, type Micro } from '#kernel';
import type { BillingLog } from '../instance-care.ts';
import { repeat } from '../repeat.ts';
import { claimMarks, listAccountsBehind, rowsAtOnce, type SummedUp, sumUp } from './sums.store.ts';

/**
 * Sums the ledger up in the background, so that lists and totals need not read it. Readers are exact without it: it
 * only bounds how much of the ledger they read. On the way it notices accounts whose credits have become low.
 */
export type UsageSums = {
  /** Says that an account has new rows. Forgetting it costs time only: the next sweep finds the account. */
  touch: (accountId: string) => void;
  /** Sums everything up that is there now. */
  catchUp: () => Promise<void>;
  start: () => void;
  stop: () => Promise<void>;
};

export type UsageSumsTiming = { pauseMs: number; sweepMs: number };

export type UsageSumsOptions = {
  database: Database;
  /** Below it, credits are low. */
  lowMicro: Micro;
  log?: BillingLog;
  timing?: Partial<UsageSumsTiming>;
};

const defaultTiming: UsageSumsTiming = { pauseMs: 2_000, sweepMs: 10 * 60_000 };

const accountsPerTurn = 32;
const accountsPerSweepPage = 1_000;

export function createUsageSums({ database, lowMicro, log, timing }: UsageSumsOptions): UsageSums {
  const times = { ...defaultTiming, ...timing };
  const touched = new Set<string>();
  let stopping = false;
  let loops: (() => Promise<void>)[] = [];

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

  /** One turn for each of the accounts that were touched; who is not done counts as touched again. */
  async function work(): Promise<void> {
    const accountIds = [...touched];
    touched.clear();
    while (accountIds.length > 0 && !stopping) {
      const part = accountIds.splice(0, accountsPerTurn);
      try {
        for (const id of await turn(part)) touched.add(id);
      } catch (error) {
        for (const id of [...part, ...accountIds]) touched.add(id);
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
      for (const id of behind) touched.add(id);
      after = next;
    }
  }

  async function quietly(what: string, doing: () => Promise<void>): Promise<void> {
    try {
      await doing();
    } catch (error) {
      log?.warn({ err: error }, what);
    }
  }

  return {
    touch: (accountId) => void touched.add(accountId),
    async catchUp() {
      await sweep();
      while (touched.size > 0) await work();
    },
    start() {
      if (loops.length > 0) return;
      stopping = false;
      loops = [
        repeat(times.pauseMs, () => quietly('usage is not summed up', work)),
        repeat(times.sweepMs, () => quietly('no sweep of usage', sweep)),
      ];
    },
    async stop() {
      stopping = true;
      await Promise.all(loops.map((end) => end()));
      loops = [];
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
