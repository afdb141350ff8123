import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { createAccount } from '#accounts';
import { doctor, grant } from '#billing';
import { beginCalls, type Calls, type CallsTiming, type Charge, createCalls, endCalls, type OpenCall } from '#calls';
import type { Database, Sql } from '#db';
import { type Clock, newId, systemClock } from '#kernel';

/** 0.06 credits a minute: 100 micro-credits per unit of 100 ms. */
export const rateMicroPerMinute = 60_000n;

export async function openAccount(sql: Sql, micro: bigint): Promise<string> {
  const { id } = await createAccount(sql, { slug: `a-${randomBytes(6).toString('hex')}` });
  if (micro > 0n) await grant(sql, { accountId: id, micro, note: null });
  return id;
}

export type TestCharge = Charge & { requestId: string };

export function chargeFor(
  accountId: string,
  { requestId = newId('req'), units = 1, heldMicro = 1_000n, rate = rateMicroPerMinute } = {},
): TestCharge {
  return {
    type: 'inference',
    callId: requestId,
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

/** Begins a call that belongs to no server, for tests of statements. */
export async function beginCall(
  sql: Sql,
  { requestId, accountId, heldMicro }: Pick<TestCharge, 'requestId' | 'accountId' | 'heldMicro'>,
  serverId: string | null = null,
) {
  const call = {
    operation: 'chat.create',
    projectId: 'prj_1',
    keyId: null,
    model: null,
    limits: null,
    idempotency: null,
  };
  const [result] = await beginCalls(sql, [{ ...call, requestId, accountId, heldMicro }], { serverId });
  return result ?? assert.fail();
}

/** Ends calls, whether they have begun or not. Returns what each paid; null: there is no such account. */
export async function chargeAll(sql: Sql, charges: readonly TestCharge[]): Promise<(bigint | null)[]> {
  const results = await endCalls(
    sql,
    charges.map((charge) => ({ charge, keyed: null })),
  );
  return results.map((result) => (result.outcome === 'charged' ? result.chargedMicro : null));
}

/** A server as the books see it, whose calls are begun, ended and voided by their ids. */
export type TestServer = {
  serverId: string;
  calls: Calls;
  begin: (
    call: Pick<TestCharge, 'requestId' | 'accountId' | 'heldMicro'>,
  ) => Promise<'begun' | { availableMicro: bigint }>;
  /** A call that did not begin here is ended all the same. */
  end: (charge: TestCharge) => Promise<bigint>;
  void: (requestId: string) => Promise<void>;
  stop: () => Promise<void>;
};

export function openTestServer(
  database: Database,
  { timing = {}, clock = systemClock }: { timing?: Partial<CallsTiming>; clock?: Clock } = {},
): TestServer {
  const serverId = newId('ins');
  const calls = createCalls({ database, serverId, clock, timing });
  const open = new Map<string, OpenCall>();
  const openCall = ({ requestId: id, accountId }: Pick<TestCharge, 'requestId' | 'accountId'>): OpenCall => {
    const project = { id: 'prj_1', owner: 'owner', slug: 'project' };
    const call = calls.open({ id, operation: 'chat.create', target: { accountId, project, model: 'chat', key: null } });
    open.set(id, call);
    return call;
  };
  return {
    serverId,
    calls,
    async begin(call) {
      const opened = openCall(call);
      const options = { keyId: null, heldMicro: call.heldMicro, limits: null, idempotency: null };
      try {
        const begun = await opened.begin(options);
        if (begun.state === 'begun') return 'begun';
        assert(begun.state === 'insufficient');
        await opened.close();
        return { availableMicro: begun.availableMicro };
      } catch (error) {
        await opened.close();
        throw error;
      }
    },
    async end(charge) {
      const call = open.get(charge.requestId) ?? openCall(charge);
      const { callId: _, accountId: __, operation: ___, ...rest } = charge;
      try {
        return await call.end(rest);
      } finally {
        await call.close();
      }
    },
    void: async (requestId) => void (await open.get(requestId)?.close()),
    async stop() {
      for (const call of open.values()) await call.close();
      await calls.stop();
    },
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

export async function countRunningCalls(sql: Sql): Promise<number> {
  const [row] = await sql.query<{ calls: number }>('select count(*)::integer as calls from calls where status is null');
  return row?.calls ?? 0;
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
