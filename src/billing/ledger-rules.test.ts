import assert from 'node:assert/strict';
import { test } from 'node:test';
import { constraintOf, sqlState } from '#db';
import { newId } from '#kernel';
import { fileDatabase } from '#test/file-database.ts';
import { listLedger, openAccount } from '#test/money.ts';

const database = fileDatabase();

type Row = Record<string, string | number | null>;

const call = {
  micro: -100,
  request_id: '',
  active_ms: 99.5,
  units: 1,
  rate_micro_per_minute: 60_000,
  held_micro: 1_000,
};
const attempt = { ...call, training_job_id: '', attempt: 1 };

/** A right row of each type that costs; ids are its own. */
function rowOf(type: string, accountId: string): Row {
  const own = { id: newId('led'), account_id: accountId, type, balance_after_micro: 900 };
  if (type === 'training') return { ...own, ...attempt, request_id: null, training_job_id: newId('job') };
  if (type === 'inference' || type === 'index')
    return { ...own, ...call, request_id: newId('req'), outcome: 'succeeded' };
  return { ...own, micro: -100 };
}

async function insert(rows: readonly Row[]): Promise<void> {
  await database().query(
    `insert into ledger (id, account_id, type, micro, balance_after_micro, request_id, training_job_id, attempt, active_ms,
                         units, rate_micro_per_minute, held_micro, outcome)
     select r.id, account_id, type, micro, balance_after_micro, request_id, training_job_id, attempt, active_ms,
            units, rate_micro_per_minute, held_micro, outcome
       from json_populate_recordset(null::ledger, $1::json) r`,
    [JSON.stringify(rows)],
  );
}

const types = ['inference', 'training', 'index', 'grant', 'purchase', 'refund', 'adjustment'];

test('the ledger takes a right row of every type, and calls that a client left', async () => {
  const accountId = await openAccount(database(), 1_000n);
  for (const type of types) await insert([rowOf(type, accountId)]);
  await insert([{ ...rowOf('inference', accountId), outcome: 'client_disconnected' }]);
  await insert([{ ...rowOf('index', accountId), outcome: 'canceled' }]);
  await insert([{ ...rowOf('inference', accountId), micro: 0, active_ms: 0, units: 0, held_micro: 0 }]);
  assert.equal((await listLedger(database(), accountId)).length, 1 + types.length + 3);
});

const broken: readonly [rule: string, type: string, change: Row][] = [
  ['ledger_type_check', 'grant', { type: 'gift' }],
  ['ledger_balance_after_micro_check', 'adjustment', { balance_after_micro: -1 }],
  ['ledger_balance_after_micro_check', 'inference', { balance_after_micro: -1 }],
  ['ledger_held_micro_check', 'refund', { held_micro: -1 }],
  ['ledger_active_ms_check', 'purchase', { active_ms: -0.5 }],
  ['ledger_outcome_check', 'inference', { outcome: 'failed' }],
  ...['inference', 'index', 'training'].flatMap((type) =>
    [
      { micro: 1 },
      { [type === 'training' ? 'training_job_id' : 'request_id']: null },
      { [type === 'training' ? 'attempt' : 'outcome']: null },
      ...['active_ms', 'units', 'rate_micro_per_minute', 'held_micro'].map((name) => ({ [name]: null })),
    ].map((change): [string, string, Row] => [`ledger_${type}_is_complete`, type, change]),
  ),
];

test('one wrong row, wherever it stands among right ones, is refused with all of them and by the name of its rule', async () => {
  const accountId = await openAccount(database(), 1_000n);
  for (const [rule, type, change] of broken)
    for (const place of [0, 2]) {
      const rows = types.slice(0, 2).map((right) => rowOf(right, accountId));
      rows.splice(place, 0, { ...rowOf(type, accountId), ...change });
      await assert.rejects(
        insert(rows),
        (error) => constraintOf(error) === rule && sqlState(error) === '23514',
        `${rule}: ${JSON.stringify(change)}`,
      );
    }
  assert.equal((await listLedger(database(), accountId)).length, 1);
});
