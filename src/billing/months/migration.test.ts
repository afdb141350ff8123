import assert from 'node:assert/strict';
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { migrate } from '#db';
import { newId } from '#kernel';
import { createTestDatabase } from '#test/database.ts';
import { awayFromMidnight } from '#test/midnight.ts';
import { chargeFor } from '../billing.fixture.ts';
import { doctor } from '../doctor.ts';
import { settleCharges } from '../settlements.store.ts';

await awayFromMidnight();

const migrations = join(import.meta.dirname, '../../../migrations');

test('a new installation begins with this month and the next two', async (t) => {
  const { database, drop } = await createTestDatabase();
  t.after(drop);
  const months = await database.query<{ months: number }>(
    `select count(*)::integer as months from pg_inherits
      where inhparent in ('ledger'::regclass, 'activity'::regclass) and inhrelid::regclass::text ~ '\\d$' group by inhparent`,
  );
  assert.deepEqual(months, [{ months: 3 }, { months: 3 }]);
});

test('an installation with rows keeps them, and its calls stay charged once', async (t) => {
  const { database, drop } = await createTestDatabase();
  t.after(drop);
  const folder = await mkdtemp(join(tmpdir(), 'fanfold-migrations-'));
  t.after(() => rm(folder, { recursive: true }));
  for (const name of await readdir(migrations)) if (name < '0028') await cp(join(migrations, name), join(folder, name));
  await database.query('drop schema public cascade');
  await database.query('create schema public');
  await migrate(database, folder);

  const [accountId, requestId] = [newId('acc'), newId('req', Date.now() - 40 * 24 * 3_600_000)];
  await database.query(`insert into accounts (id, slug, display_name, balance_micro) values ($1, 'old', 'Old', 700)`, [
    accountId,
  ]);
  await database.query(
    `insert into ledger (id, account_id, type, micro, balance_after_micro, request_id, active_ms, units,
                         rate_micro_per_minute, held_micro, outcome)
     values ('led_1', $1, 'grant', 1000, 1000, 'a key', null, null, null, null, null),
            ('led_2', $1, 'inference', -300, 700, $2, 299.5, 3, 60000, 1000, 'succeeded')`,
    [accountId, requestId],
  );
  await database.query(
    `insert into failed_requests (id, account_id, state, finished_at) values ($1, 'acc_1', 'failed', now())`,
    [newId('req')],
  );
  await database.query(
    `insert into activity (id, account_id, type, severity, actor_kind, actor_label, subject_kind, subject_id,
                           subject_label, message, created_at)
     select 'act_' || n, $1, 'account.created', 'info', 'system', 'x', 'account', 'x', 'x', 'x', now() - n * interval '70 days'
       from generate_series(0, 40, 20) n`,
    [accountId],
  );
  const rowsOf = (table: string, order: string) =>
    database.query(`select to_jsonb(t) as row from ${table} t order by ${order}`);
  const tables = [
    ['ledger', 'seq'],
    ['failed_requests', 'id'],
    ['activity', 'id'],
  ] as const;
  const before = await Promise.all(tables.map(([table, order]) => rowsOf(table, order)));

  await migrate(database);
  assert.deepEqual(await Promise.all(tables.map(([table, order]) => rowsOf(table, order))), before);
  assert.deepEqual(await doctor(database), []);

  const [again, other] = [chargeFor(accountId, { requestId }), chargeFor(accountId)];
  assert.deepEqual(await settleCharges(database, [again, other], { timeoutMs: 60_000 }), [300n, 100n]);
  const rows = await database.query<{ type: string }>('select type from ledger order by account_id, seq');
  assert.deepEqual(
    rows.map(({ type }) => type),
    ['grant', 'inference', 'inference'],
  );
  assert.deepEqual(await doctor(database), []);
});
