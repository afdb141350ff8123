import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { createAccount } from '#accounts';
import type { Database, Sql } from '#db';
import { newId } from '#kernel';
import type { Charge } from './charge.ts';
import { doctor } from './doctor.ts';
import { grant } from './grants.ts';

/** 0.06 credits a minute: 100 micro-credits per unit of 100 ms. */
export const rateMicroPerMinute = 60_000n;

export async function openAccount(sql: Sql, micro: bigint): Promise<string> {
  const { id } = await createAccount(sql, { slug: `a-${randomBytes(6).toString('hex')}` });
  if (micro > 0n) await grant(sql, { accountId: id, micro, note: null });
  return id;
}

export function chargeFor(
  accountId: string,
  { requestId = newId('req'), units = 1, heldMicro = 1_000n, rate = rateMicroPerMinute } = {},
): Charge {
  return {
    requestId,
    accountId,
    keyId: 'key_1',
    keyName: "a 'quoted', {braced} \\ name",
    projectId: 'prj_1',
    operation: 'chat.create',
    modelRequested: 'chat',
    modelServed: 'fanfold-tiny-chat',
    modelRevision: 1,
    activeMs: units * 100 - 0.5,
    rateMicroPerMinute: rate,
    priceVersion: '2026-01',
    heldMicro,
    usage: { promptTokens: 3, completionTokens: 5 },
    outcome: 'succeeded',
  };
}

export type LedgerRow = { type: string; micro: bigint; balance_after_micro: bigint; request_id: string | null };

/** An account's rows in the order in which they were written. */
export function listLedger(sql: Sql, accountId: string): Promise<LedgerRow[]> {
  return sql.query<LedgerRow>(
    'select type, micro, balance_after_micro, request_id from ledger where account_id = $1 order by seq',
    [accountId],
  );
}

export async function countHolds(sql: Sql): Promise<number> {
  const [row] = await sql.query<{ holds: number }>('select count(*)::integer as holds from holds');
  return row?.holds ?? 0;
}

export async function assertBooksAreRight(database: Database): Promise<void> {
  assert.deepEqual(await doctor(database), []);
}

/** Waits until `isDone`, looking every 20 ms. */
export async function waitFor(isDone: () => Promise<boolean>, withinMs = 60_000): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!(await isDone())) {
    assert(performance.now() < deadline, 'it did not happen in time');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
