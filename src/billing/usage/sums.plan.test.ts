import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Sql } from '#db';
import { seedAccount } from '#test/accounts.ts';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import { claimMarks, sumUp } from './sums.store.ts';
import { writeRandomRows } from './usage.fixture.ts';

let db: TestDatabase;
before(async () => {
  db = await createTestDatabase();
});
after(() => db?.drop());

type Plan = {
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: Plan[];
};

/** Rows that a plan took out of the ledger, those included which it then threw away. */
function readOfLedger(plan: Plan): number {
  const own = (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)) * plan['Actual Loops'];
  const isLedger = /^ledger(_\d|_other|$)/.test(plan['Relation Name'] ?? '');
  return (plan.Plans ?? []).reduce((sum, each) => sum + readOfLedger(each), isLedger ? own : 0);
}

/** Runs statements and notes how many rows of the ledger each has read. */
function metered(tx: Sql, reads: number[]): Sql {
  const quoted = (value: unknown) => `'${String(Array.isArray(value) ? `{${value.join(',')}}` : value)}'`;
  return {
    query: async (text, values = []) => {
      await tx.query(`prepare metered as ${text}`);
      const [told] = await tx.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
        `explain (analyze, format json) execute metered (${values.map(quoted).join(', ')})`,
      );
      await tx.query('deallocate metered');
      if (told) reads.push(readOfLedger(told['QUERY PLAN'][0].Plan));
      return [];
    },
  };
}

const behind = 50;
const ofOthers = 3_000;

for (const mode of ['force_custom_plan', 'force_generic_plan'])
  for (const isAnalyzed of [false, true])
    test(`summing up reads the rows behind the mark and no others of the ledger (${mode}, ${isAnalyzed ? 'with' : 'without'} statistics)`, async () => {
      const accounts = await Promise.all(Array.from({ length: 4 }, () => seedAccount(db.database)));
      const accountIds = accounts.slice(0, 2).map(({ accountId }) => accountId);
      for (const { accountId } of accounts) await writeRandomRows(db.database, accountId, { count: ofOthers });
      // The mark is behind all of them.
      await db.database.transaction(async (tx) =>
        sumUp(tx, { accountIds: await claimMarks(tx, accountIds), lowMicro: 0n }),
      );
      for (const accountId of accountIds) await writeRandomRows(db.database, accountId, { count: behind });
      if (isAnalyzed) await db.database.query('analyze ledger');
      const reads: number[] = [];
      await db.database.transaction(async (tx) => {
        await tx.query(`set local plan_cache_mode = ${mode}`);
        await sumUp(metered(tx, reads), { accountIds: await claimMarks(tx, accountIds), lowMicro: 0n });
      });
      assert.deepEqual(reads, [behind * accountIds.length]);
    });
