import type { Sql } from '#db';
import { type Micro, newId } from '#kernel';
import type { LimitedSubject, LimitUsage } from '#limits';
import type { Charge } from './charge.ts';
import { billingUnits, chargeWithin } from './charge.ts';

/** A call, or other work that is paid for, that wants to begin. */
export type BeginRequest = {
  requestId: string;
  accountId: string;
  operation: string;
  projectId: string | null;
  keyId: string | null;
  model: string | null;
  /** The most that it may cost. */
  heldMicro: Micro;
  /** Null: neither its key nor its account has limits. */
  limits: readonly LimitedSubject[] | null;
  idempotency: { key: string; fingerprint: Buffer } | null;
};

/** The answer of a request that ended well. */
export type StoredAnswer = { status: number; body: Buffer; isSealed: boolean };

/** By the id of the key or account. */
export type UsageBySubject = ReadonlyMap<string, LimitUsage>;

export type BeginResult =
  | { outcome: 'begun'; usage: UsageBySubject }
  | { outcome: 'insufficient'; availableMicro: Micro; usage: UsageBySubject }
  | { outcome: 'limited'; usage: UsageBySubject }
  /** The key belongs to another request. */
  | { outcome: 'conflict' }
  /** The same request runs under the key. */
  | { outcome: 'running'; requestId: string; serverId: string | null }
  | { outcome: 'answered'; requestId: string; answer: StoredAnswer }
  /** Somebody has locked the account's row for long, such as an operator in psql. */
  | { outcome: 'locked' }
  | { outcome: 'no_account' };

type BeginRow = {
  request_id: string;
  outcome: BeginResult['outcome'];
  available_micro: bigint;
  usage: (Omit<LimitUsage, 'spentMicro'> & { subject: string; spent: string })[] | null;
  other_request_id: string;
  other_server_id: string | null;
  status: number;
  body: Buffer;
  is_sealed: boolean;
};

/** How a statement waits for accounts whose row is locked. */
export type AccountLockOptions = {
  /** Longest wait, ms; then it fails with 55P03 and has done nothing. */
  lockMs: number;
  /** These accounts are not waited for. */
  skipLocked: (accountId: string) => boolean;
};

const timeoutMs = 5_000;

/**
 * Begins calls in the given order, in one statement; see `begin_calls` in the migrations.
 *
 * @param options.serverId null: the work belongs to a job, not to a server, and begins in the caller's transaction.
 * @param options.at the time, for tests.
 * @returns one result per request, in the same order.
 */
export async function beginCalls(
  sql: Sql,
  requests: readonly BeginRequest[],
  { serverId, locks, at = null }: { serverId: string | null; locks?: AccountLockOptions; at?: Date | null },
): Promise<BeginResult[]> {
  const skipped = skippedAccounts(requests, locks);
  // A crash of PostgreSQL may forget credits that are held, as calls end with their servers' connections; but not keys.
  const quick = locks !== undefined && requests.every(({ idempotency }) => idempotency === null);
  const rows = await sql.query<BeginRow>(
    quick
      ? `select b.* from begin_calls($1, $2, $3, $4, $5) b cross join (select set_config('synchronous_commit', 'off', true)) quick`
      : 'select * from begin_calls($1, $2, $3, $4, $5)',
    [JSON.stringify(requests.map(beginFields)), [...skipped], serverId, locks?.lockMs ?? null, at],
    { name: quick ? 'calls.begin_quickly' : 'calls.begin', timeoutMs },
  );
  const byId = new Map(rows.map((row) => [row.request_id, row]));
  return requests.map(({ requestId, accountId, heldMicro }) => {
    const row = byId.get(requestId);
    if (!row) throw new Error(`The beginning of ${requestId} gave no row. This is a bug.`);
    if (row.outcome === 'locked' && !skipped.has(accountId)) return { outcome: 'no_account' };
    return beginResultOf(row, heldMicro);
  });
}

function beginResultOf(row: BeginRow, heldMicro: Micro): BeginResult {
  const { outcome } = row;
  const usage = new Map(row.usage?.map((each) => [each.subject, usageWith(each, outcome, heldMicro)]));
  switch (outcome) {
    case 'begun':
    case 'limited':
      return { outcome, usage };
    case 'insufficient':
      return { outcome, usage, availableMicro: row.available_micro };
    case 'running':
      return { outcome, requestId: row.other_request_id, serverId: row.other_server_id };
    case 'answered': {
      const { status, body, is_sealed: isSealed } = row;
      return { outcome, requestId: row.other_request_id, answer: { status, body, isSealed } };
    }
    default:
      return { outcome };
  }
}

/** What was used before the call, with the call. One that is refused for its limits counts nowhere, one without credits as a request. */
function usageWith(
  { spent, ...usage }: Omit<LimitUsage, 'spentMicro'> & { spent: string },
  outcome: BeginResult['outcome'],
  heldMicro: Micro,
): LimitUsage {
  const spentMicro = BigInt(spent);
  if (outcome === 'limited') return { ...usage, spentMicro };
  const requests = usage.requests + 1;
  if (outcome !== 'begun') return { ...usage, requests, spentMicro };
  return { ...usage, requests, running: usage.running + 1, spentMicro: spentMicro + heldMicro };
}

/** The end of a call: its charge, and what is stored under its key. */
export type CallEnding = {
  charge: Charge;
  /** Makes what is stored under the call's key; null: it has none. */
  keyed: { body: () => string } | null;
};

export type EndResult = { outcome: 'charged'; chargedMicro: Micro } | { outcome: 'lost' | 'locked' | 'no_account' };

/**
 * Ends calls, in one statement; committed durably when this resolves outside of a transaction. See `end_calls` in the migrations.
 *
 * @returns one result per call, in the same order.
 */
export async function endCalls(
  sql: Sql,
  ends: readonly CallEnding[],
  { locks, at = null }: { locks?: AccountLockOptions; at?: Date | null } = {},
): Promise<EndResult[]> {
  const skipped = skippedAccounts(
    ends.map(({ charge }) => charge),
    locks,
  );
  const eachOnce = new Map(ends.map((end) => [end.charge.callId, end]));
  const rows = await sql.query<{ call_id: string; outcome: EndResult['outcome']; charged_micro: bigint }>(
    'select * from end_calls($1, $2, $3, $4)',
    [JSON.stringify([...eachOnce.values()].map(endFields)), [...skipped], locks?.lockMs ?? null, at],
    { name: 'calls.end', timeoutMs },
  );
  const byId = new Map(rows.map((row) => [row.call_id, row]));
  return ends.map(({ charge: { callId, accountId } }) => {
    const row = byId.get(callId);
    if (!row) throw new Error(`The end of ${callId} gave no row. This is a bug.`);
    const { outcome } = row;
    if (outcome === 'locked' && !skipped.has(accountId)) return { outcome: 'no_account' };
    return outcome === 'charged' ? { outcome, chargedMicro: row.charged_micro } : { outcome };
  });
}

/** Ends one call in the transaction of what was paid for. Throws 23505 where it was charged before and has begun anew since. */
export async function endCall(tx: Sql, end: CallEnding): Promise<Micro> {
  const [result] = await endCalls(tx, [end]);
  if (result?.outcome !== 'charged')
    throw new Error(`${end.charge.callId} could not end: ${result?.outcome}. This is a bug.`);
  return result.chargedMicro;
}

/** Ends calls without a charge: their credits and keys are free again. Those that have ended are passed over. */
export async function voidCalls(sql: Sql, callIds: readonly string[]): Promise<void> {
  await sql.query('select from void_calls($1, null)', [callIds], { name: 'calls.void', timeoutMs });
}

/** The same for a server, which need not wait for the disk. `lockMs`: longest wait for a locked account; 0: those are skipped. */
export async function voidCallsQuickly(sql: Sql, callIds: readonly string[], lockMs: number): Promise<void> {
  await sql.query(
    `select from void_calls($1, $2) cross join (select set_config('synchronous_commit', 'off', true)) quick`,
    [callIds, lockMs],
    { name: 'calls.void_quickly', timeoutMs },
  );
}

/** As they are when the statement is sent: other statements may learn meanwhile which accounts are locked. */
function skippedAccounts(
  items: readonly { accountId: string }[],
  locks: AccountLockOptions | undefined,
): ReadonlySet<string> {
  return new Set(items.flatMap(({ accountId }) => (locks?.skipLocked(accountId) ? accountId : [])));
}

function beginFields({ idempotency, limits, ...call }: BeginRequest) {
  return {
    account_id: call.accountId,
    request_id: call.requestId,
    operation: call.operation,
    project_id: call.projectId,
    key_id: call.keyId,
    model: call.model,
    held_micro: String(call.heldMicro),
    limits: limits?.map(limitFields),
    idempotency_key: idempotency?.key ?? null,
    fingerprint: idempotency?.fingerprint.toString('hex') ?? null,
  };
}

function limitFields({ id, scope, limits }: LimitedSubject) {
  const { requestsPerMinute, concurrentRequests, creditsPerDayMicro } = limits;
  return {
    subject: id,
    scope,
    per_minute: requestsPerMinute,
    concurrent: concurrentRequests,
    per_day: creditsPerDayMicro === null ? null : String(creditsPerDayMicro),
  };
}

function endFields({ charge, keyed }: CallEnding, n: number) {
  return {
    n,
    account_id: charge.accountId,
    call_id: charge.callId,
    request_id: charge.requestId,
    training_job_id: charge.training?.jobId ?? null,
    attempt: charge.training?.attempt ?? null,
    ledger_id: newId('led'),
    type: charge.type,
    cost_micro: String(chargeWithin(charge.heldMicro, charge)),
    has_key: keyed !== null,
    body: keyed?.body() ?? null,
    is_limited: charge.isLimited ?? false,
    project_id: charge.projectId,
    model_requested: charge.modelRequested,
    model_served: charge.modelServed,
    model_revision: charge.modelRevision,
    key_id: charge.keyId,
    key_name: charge.keyName ?? null,
    active_ms: charge.activeMs,
    units: String(billingUnits(charge.activeMs)),
    rate_micro_per_minute: String(charge.rateMicroPerMinute),
    price_version: charge.priceVersion,
    held_micro: String(charge.heldMicro),
    prompt_tokens: charge.usage?.promptTokens ?? null,
    completion_tokens: charge.usage?.completionTokens ?? null,
    outcome: charge.outcome,
    operation: charge.operation,
    note: charge.note ?? null,
  };
}
