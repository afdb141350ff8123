import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { seedAccount } from '#test/accounts.ts';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import { countCallsByAccount } from './call-counts.store.ts';
import { claimMarks, sumUp } from './usage/sums.store.ts';
import { randomTime, readWholeLedger, someModels, someProjects, writeRandomRows } from './usage/usage.fixture.ts';

let db: TestDatabase;
before(async () => {
  db = await createTestDatabase();
});
after(() => db.drop());

/** Sums up some of the rows that are behind the mark. */
function sumSome(accountId: string, rows: number) {
  return db.database.transaction(async (tx) => {
    const accountIds = await claimMarks(tx, [accountId]);
    await sumUp(tx, { accountIds, rowsPerAccount: rows, lowMicro: 0n });
  });
}

test('calls of a model are counted as a reader of the whole ledger would, however far it is summed up', async () => {
  const accounts = await Promise.all([seedAccount(db.database), seedAccount(db.database)]);
  const accountIds = accounts.map(({ accountId }) => accountId);
  const counted = { calls: 0 };
  for (let round = 0; round < 6; round++) {
    for (const accountId of accountIds) {
      await writeRandomRows(db.database, accountId, { count: 60 });
      await sumSome(accountId, 20 * round);
    }
    for (const projectId of someProjects)
      for (const alias of someModels) {
        const since = randomTime();
        const found = await countCallsByAccount(db.database, { projectId, alias, accountIds, since });
        for (const accountId of accountIds) {
          const calls = (await readWholeLedger(db.database, accountId)).filter(
            (row) =>
              row.type === 'inference' &&
              row.project_id === projectId &&
              row.model === alias &&
              row.created_at >= since,
          ).length;
          assert.equal(found.get(accountId), calls);
          counted.calls += calls;
        }
      }
  }
  assert.ok(counted.calls > 100);
});
