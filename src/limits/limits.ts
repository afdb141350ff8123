import { type Actor, recordActivity } from '#activity';
import type { Database, Sql } from '#db';
import { fault, formatCredits, isId } from '#kernel';
import { type CallLimits, hasLimits, type LimitedSubject } from './call-limits.ts';
import {
  findBindingLimits,
  findLimits,
  type LimitAddress,
  type LimitRow,
  listUsedUp,
  lockLimits,
  type UsedUp,
  updateLimits,
} from './limits.store.ts';
import { findStorage, type Storage } from './storage.store.ts';

export type LimitsWithUsage = { limits: CallLimits; used: UsedUp };
/** Of an account: what it has set for itself, what the operator has, and what it has stored. */
export type AccountLimitsView = LimitsWithUsage & { operator: CallLimits; storage: Storage };

/** Who changes limits, with which key, and in which request; the installation itself unless it is said. */
export type LimitsChange = { actor?: Actor | undefined; keyId?: string | null; requestId?: string | undefined };

/** Throws `not_found` for a key that the account does not have. */
export async function readLimits(sql: Sql, address: LimitAddress): Promise<LimitsWithUsage> {
  const { limits } = known(isAddress(address) ? await findLimits(sql, address) : null);
  return view(sql, address.id, limits);
}

/** The limits of those of these keys that have any, by the id of the key, with what is used of them: one statement. */
export async function viewLimits(
  sql: Sql,
  keys: readonly { id: string; limits: CallLimits }[],
): Promise<Map<string, LimitsWithUsage>> {
  const limited = keys.filter(({ limits }) => hasLimits(limits));
  if (limited.length === 0) return new Map();
  const used = await listUsedUp(
    sql,
    limited.map(({ id }) => id),
  );
  return new Map(limited.map(({ id, limits }) => [id, { limits, used: usedBy(used, id) }]));
}

/** Of an account, on both sides. */
export async function readAccountLimits(sql: Sql, accountId: string): Promise<AccountLimitsView> {
  const read = (scope: 'account' | 'operator') => readLimits(sql, { scope, id: accountId, accountId });
  const own = await read('account');
  return { ...own, operator: (await read('operator')).limits, storage: await findStorage(sql, accountId) };
}

async function view(sql: Sql, id: string, limits: CallLimits): Promise<LimitsWithUsage> {
  return { limits, used: usedBy(await listUsedUp(sql, [id]), id) };
}

function usedBy(used: Map<string, UsedUp>, id: string): UsedUp {
  const found = used.get(id);
  if (!found) throw new Error('A look-up of what is used left one out. This is a bug.');
  return found;
}

/** Whose limits bind a request that was authenticated before; empty: there are none. */
export async function limitedSubjectsOf(
  sql: Sql,
  { keyId, accountId }: { keyId: string | null; accountId: string },
): Promise<LimitedSubject[]> {
  const subjects = [
    ...(keyId === null ? [] : [{ scope: 'key', id: keyId } as const]),
    { scope: 'account', id: accountId } as const,
  ];
  const found = await Promise.all(subjects.map((subject) => findBindingLimits(sql, { ...subject, accountId })));
  return subjects.flatMap((subject, at) => {
    const limits = found[at];
    return limits && hasLimits(limits) ? [{ ...subject, limits }] : [];
  });
}

/**
 * Sets those limits that `wanted` names; null lifts one. They hold for every call that arrives after this. What is so
 * already stays so, and the feed is silent. Throws `not_found`, and `forbidden` to a key that has limits by then.
 */
export function changeLimits(
  database: Database,
  address: LimitAddress,
  change: LimitsChange & { wanted: Partial<CallLimits> },
): Promise<LimitsWithUsage> {
  return database.transaction(async (tx) => view(tx, address.id, await setLimits(tx, address, change)));
}

/** The same within a transaction: a key and the limits that it is made with come into being together. */
export async function setLimits(
  tx: Sql,
  address: LimitAddress,
  { wanted, keyId = null, ...change }: LimitsChange & { wanted: Partial<CallLimits> },
): Promise<CallLimits> {
  const before = known(isAddress(address) ? await lockLimits(tx, address) : null);
  // Behind the lock: of a key that limits itself and lifts its limits at the same time, one comes first.
  await refuseLimitedKey(tx, { keyId, accountId: address.accountId });
  const limits = { ...before.limits, ...wanted };
  if (isSame(limits, before.limits)) return limits;
  await updateLimits(tx, address, limits);
  await recordLimitsActivity(tx, { address, label: before.label, limits, ...change });
  return limits;
}

/**
 * A key with limits may not change limits, make keys or change other keys (`what`): a limit that can be lifted by what it limits is none. Throws `forbidden`, and
 * `invalid_credentials` for a key that is gone since it was presented. Null is a session, which may.
 */
export async function refuseLimitedKey(
  sql: Sql,
  { keyId, accountId }: { keyId: string | null; accountId: string },
  what = 'change limits',
): Promise<void> {
  if (keyId === null) return;
  const row = await findLimits(sql, { scope: 'key', id: keyId, accountId });
  if (!row) throw fault('invalid_credentials');
  if (hasLimits(row.limits))
    throw fault('forbidden', {
      message: `A key with limits cannot ${what}. Use a key without limits, or sign in.`,
    });
}

function isSame(one: CallLimits, other: CallLimits): boolean {
  return (
    one.requestsPerMinute === other.requestsPerMinute &&
    one.concurrentRequests === other.concurrentRequests &&
    one.creditsPerDayMicro === other.creditsPerDayMicro
  );
}

type Changed = LimitsChange & { address: LimitAddress; label: string; limits: CallLimits };

async function recordLimitsActivity(tx: Sql, { address, label, limits, actor, requestId }: Changed): Promise<void> {
  const { scope, id, accountId } = address;
  const { requestsPerMinute, concurrentRequests, creditsPerDayMicro } = limits;
  await recordActivity(tx, {
    accountId,
    type: 'limits.changed',
    actor,
    subject: { kind: scope === 'key' ? 'key' : 'account', id, label },
    message: messages[scope](label),
    data: {
      requests_per_minute: requestsPerMinute,
      concurrent_requests: concurrentRequests,
      credits_per_day: creditsPerDayMicro === null ? null : formatCredits(creditsPerDayMicro),
    },
    requestId,
  });
}

const messages: Record<LimitAddress['scope'], (label: string) => string> = {
  key: (label) => `The limits of the API key "${label}" were changed.`,
  account: () => 'The limits of the account were changed.',
  operator: () => 'The limits that the operator sets for the account were changed.',
};

function isAddress({ scope, id }: LimitAddress): boolean {
  return scope !== 'key' || isId('key', id);
}

/** Another account's key is as unknown as one that never was. */
function known(row: LimitRow | null): LimitRow {
  if (row) return row;
  throw fault('not_found', { message: 'There is no such key.' });
}
