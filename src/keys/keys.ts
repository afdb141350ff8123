import type { Database, Sql } from '#db';
import { type CursorCodec, checkDisplayName, fault, newId } from '#kernel';
import { mintKey } from './key.ts';
import {
  deleteKey as deleteKeyRow,
  insertKey,
  type KeyPosition,
  type KeyRecord,
  listKeys as listKeyRows,
  updateKeyActive,
} from './keys.store.ts';

const defaultName = 'API key';
const keyIdPattern = /^key_[0-9A-Z]{26}$/;

export type IssuedKey = { record: KeyRecord; key: string };

/** Makes an active key. `key` is the only copy of the secret. Throws `invalid_request` for a bad name. */
export async function issueKey(sql: Sql, input: { accountId: string; name?: string | undefined }): Promise<IssuedKey> {
  const name = checkDisplayName(input.name ?? defaultName, 'name');
  const { key, digest, mask } = mintKey();
  const record = await insertKey(sql, { id: newId('key'), accountId: input.accountId, name, digest, mask });
  return { record, key };
}

export type KeyAddress = { accountId: string; keyId: string };

/** Activates or deactivates a key; to the state it is in already, too. Throws `not_found`. */
export async function setKeyActive(sql: Sql, { accountId, keyId }: KeyAddress, active: boolean): Promise<KeyRecord> {
  const record = isKeyId(keyId) ? await updateKeyActive(sql, { id: keyId, accountId, active }) : null;
  if (!record) throw noSuchKey();
  return record;
}

/** Deletes a key for good. Throws `not_found`, the second time as well. */
export async function deleteKey(sql: Sql, { accountId, keyId }: KeyAddress): Promise<void> {
  const deleted = isKeyId(keyId) && (await deleteKeyRow(sql, { id: keyId, accountId }));
  if (!deleted) throw noSuchKey();
}

export type KeyPage = { rows: KeyRecord[]; limit: number; totalCount: number; cursorOf: (row: KeyRecord) => string };

/** One row more than `limit` when another page follows. Throws `invalid_cursor` for another list's or account's cursor. */
export async function listKeys(
  deps: { database: Database; cursors: CursorCodec },
  page: { accountId: string; limit: number; cursor: string | null },
): Promise<KeyPage> {
  const scope = ['keys', page.accountId];
  const after = page.cursor === null ? null : positionOf(deps.cursors.decode(scope, page.cursor));
  const { rows, totalCount } = await listKeyRows(deps.database, {
    accountId: page.accountId,
    after,
    limit: page.limit + 1,
  });
  const positions = new Map<KeyRecord, KeyPosition>(rows.map((row) => [row, row.position]));
  return {
    rows,
    limit: page.limit,
    totalCount,
    cursorOf: (row) => {
      const position = positions.get(row);
      if (!position) throw new Error('This row is not of this page. This is a bug.');
      return deps.cursors.encode(scope, [position.createdAt, position.id]);
    },
  };
}

function positionOf([createdAt, id]: readonly string[]): KeyPosition {
  if (createdAt === undefined || id === undefined) throw fault('invalid_cursor', { param: 'cursor' });
  return { createdAt, id };
}

function isKeyId(text: string): boolean {
  return keyIdPattern.test(text);
}

/** Another account's key is as unknown as one that never was, so ids cannot be probed. */
function noSuchKey() {
  return fault('not_found', { message: 'There is no such key.' });
}
