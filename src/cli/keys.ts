import { installationSecret } from '#accounts';
import { createCursorCodec } from '#kernel';
import { deleteKey, issueKey, type KeyRecord, listKeys, maskedKey, setKeyActive } from '#keys';
import type { Config } from '../config.ts';
import { requireAccount } from './accounts.ts';
import { note, print, renderTable } from './terminal.ts';
import { useDatabase } from './use-database.ts';

type OfAccount = { account: string };

export function createKeyCommand(config: Config, options: OfAccount & { name?: string }) {
  return useDatabase(config, async (database) => {
    const { id: accountId } = await requireAccount(database, options.account);
    const { key, record } = await database.transaction((tx) => issueKey(tx, { accountId, name: options.name }));
    note(`Key ${record.id} of ${options.account}, shown this once:`);
    print(key);
  });
}

const pageSize = 100;

export function listKeysCommand(config: Config, options: OfAccount) {
  return useDatabase(config, async (database) => {
    const { id: accountId } = await requireAccount(database, options.account);
    const cursors = createCursorCodec(await installationSecret(database, 'cursor'));
    const rows: string[][] = [];
    for (let cursor: string | null = null; ; ) {
      const page = await listKeys({ database, cursors }, { accountId, limit: pageSize, cursor });
      const shown = page.rows.slice(0, pageSize);
      rows.push(...shown.map(rowOf));
      const last = shown.at(-1);
      if (page.rows.length <= pageSize || !last) break;
      cursor = page.cursorOf(last);
    }
    print(renderTable(['ID', 'KEY', 'ACTIVE', 'CREATED', 'LAST USED', 'NAME'], rows));
  });
}

function rowOf({ id, name, mask, active, createdAt, lastUsedAt }: KeyRecord): string[] {
  return [
    id,
    maskedKey(mask),
    active ? 'yes' : 'no',
    createdAt.toISOString(),
    lastUsedAt?.toISOString() ?? 'never',
    name,
  ];
}

export function setKeyActiveCommand(config: Config, keyId: string, options: OfAccount & { active: boolean }) {
  return useDatabase(config, async (database) => {
    const { id: accountId } = await requireAccount(database, options.account);
    const record = await database.transaction((tx) => setKeyActive(tx, { accountId, keyId }, options.active));
    print(`${record.id} is ${record.active ? 'active' : 'not active'}.`);
  });
}

export function deleteKeyCommand(config: Config, keyId: string, options: OfAccount) {
  return useDatabase(config, async (database) => {
    const { id: accountId } = await requireAccount(database, options.account);
    await database.transaction((tx) => deleteKey(tx, { accountId, keyId }));
    print(`${keyId} is deleted.`);
  });
}
