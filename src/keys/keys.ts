import { type ActivityType, type Actor, recordActivity } from '#activity';
import type { Database, Sql } from '#db';
import {
  type CursorCodec,
  checkDisplayName,
  createListCursor,
  fault,
  isId,
  type Listed,
  type ListPage,
  newId,
  type PageRequest,
} from '#kernel';
import { type CallLimits, refuseLimitedKey, setLimits } from '#limits';
import { maskedKey, mintKey } from './key.ts';
import {
  deleteKey as deleteKeyRow,
  holdActiveKey,
  insertKey,
  type KeyRecord,
  listKeys as listKeyRows,
  lockActiveKeys,
  lockKey,
  updateKeyActive,
} from './keys.store.ts';

const defaultName = 'API key';

export type IssuedKey = { record: KeyRecord; key: string };

/** Who asks for a change, and in which request; the installation itself when left out. */
export type KeyChange = {
  accountId: string;
  actor?: Actor;
  requestId?: string;
  callerKeyId?: string | null;
};

export type KeyInput = KeyChange & {
  name?: string | undefined;
  limits?: Partial<CallLimits> | undefined;
};

/**
 * Makes an active key with its limits, in the transaction `tx` that also writes the feed. `key` is the only copy of the
 * secret. Throws `invalid_request` for a bad name, `state_conflict` when the account has as many active keys as it may have,
 * `forbidden` to a key with limits, and `invalid_credentials` when the key that asks is dead by now.
 */
export async function issueKey(tx: Sql, input: KeyInput): Promise<IssuedKey> {
  const name = checkDisplayName(input.name ?? defaultName, 'name');
  const { key, digest, mask } = mintKey();
  const { accountId, callerKeyId = null } = input;
  if (callerKeyId !== null && !(await holdActiveKey(tx, { id: callerKeyId, accountId })))
    throw fault('invalid_credentials');
  await refuseLimitedKey(tx, { keyId: callerKeyId, accountId }, 'create keys');
  await checkOneMoreActive(tx, accountId);
  const record = await insertKey(tx, { id: newId('key'), accountId, name, digest, mask });
  await recordKeyActivity(tx, 'key.created', record, input);
  if (input.limits === undefined) return { record, key };
  const change = { wanted: input.limits, keyId: callerKeyId, actor: input.actor, requestId: input.requestId };
  return {
    record: { ...record, limits: await setLimits(tx, { scope: 'key', id: record.id, accountId }, change) },
    key,
  };
}

export type KeyAddress = KeyChange & { keyId: string };

/**
 * Activates or deactivates a key. In that state already, it stays as it is and the feed is silent. Throws
 * `not_found`, and `state_conflict` when no more keys may be active.
 */
export async function setKeyActive(tx: Sql, address: KeyAddress, active: boolean): Promise<KeyRecord> {
  const { accountId, keyId } = address;
  const record = isId('key', keyId) ? await lockKey(tx, { id: keyId, accountId }) : null;
  if (!record) throw noSuchKey();
  await refuseOthersKey(tx, address);
  if (record.active === active) return record;
  if (active) await checkOneMoreActive(tx, accountId);
  await updateKeyActive(tx, { id: keyId, active });
  await recordKeyActivity(tx, active ? 'key.activated' : 'key.deactivated', record, address);
  return { ...record, active };
}

/** A key with limits may give up itself, and no other key. */
async function refuseOthersKey(tx: Sql, { accountId, keyId, callerKeyId = null }: KeyAddress): Promise<void> {
  if (callerKeyId !== keyId) await refuseLimitedKey(tx, { keyId: callerKeyId, accountId }, 'change other keys');
}

async function checkOneMoreActive(tx: Sql, accountId: string): Promise<void> {
  const { active, allowed } = await lockActiveKeys(tx, accountId);
  if (active < allowed) return;
  throw fault('state_conflict', {
    message: `This account may have ${allowed} active keys at a time. Deactivate or delete one first.`,
    details: { reason: 'max_active_keys', limit: allowed },
  });
}

/** Deletes a key for good. Throws `not_found`, the second time as well. */
export async function deleteKey(tx: Sql, address: KeyAddress): Promise<void> {
  const { accountId, keyId } = address;
  await refuseOthersKey(tx, address);
  const deleted = isId('key', keyId) ? await deleteKeyRow(tx, { id: keyId, accountId }) : null;
  if (!deleted) throw noSuchKey();
  await recordKeyActivity(tx, 'key.deleted', deleted, address);
}

const verbs = {
  'key.created': 'created',
  'key.activated': 'activated',
  'key.deactivated': 'deactivated',
  'key.deleted': 'deleted',
} as const satisfies Partial<Record<ActivityType, string>>;

async function recordKeyActivity(
  tx: Sql,
  type: keyof typeof verbs,
  key: KeyRecord,
  { accountId, actor, requestId }: KeyChange,
): Promise<void> {
  await recordActivity(tx, {
    accountId,
    type,
    actor,
    subject: { kind: 'key', id: key.id, label: key.name },
    message: `The API key "${key.name}" was ${verbs[type]}.`,
    data: { masked_key: maskedKey(key) },
    requestId,
  });
}

/** One row more than `limit` when another page follows. Throws `invalid_cursor` for another list's or account's cursor. */
export async function listKeys(
  deps: { database: Database; cursors: CursorCodec },
  { accountId, limit, cursor }: PageRequest & { accountId: string },
): Promise<ListPage<Listed<KeyRecord>>> {
  const { after, cursorOf } = createListCursor(deps.cursors, ['keys', accountId]);
  const { rows, totalCount } = await listKeyRows(deps.database, { accountId, after: after(cursor), limit: limit + 1 });
  return { rows, limit, totalCount, cursorOf };
}

/** Another account's key is as unknown as one that never was, so ids cannot be probed. */
function noSuchKey() {
  return fault('not_found', { message: 'There is no such key.' });
}
