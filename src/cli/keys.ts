import { installationSecret } from '#accounts';
import { createCursorCodec } from '#kernel';
import { deleteKey, issueKey, type KeyRecord, listKeys, maskedKey, setKeyActive } from '#keys';
import { operatorActor } from '#operator';
import type { Config } from '../config.ts';
import { requireAccount } from './accounts.ts';
import { type LimitFlags, limitsInShort, readFlags } from './limits.ts';
import { type Cell, everyRow, type ListFlags, note, print, printList } from './terminal.ts';
import { useDatabase } from './use-database.ts';

type OfAccount = { account: string };

export function createKeyCommand(config: Config, options: OfAccount & { name?: string } & LimitFlags) {
  return useDatabase(config, async (database) => {
    const { id: accountId } = await requireAccount(database, options.account);
    const flags = readFlags(options);
    const limits = Object.keys(flags).length === 0 ? undefined : flags;
    const input = { accountId, name: options.name, actor: operatorActor, limits };
    const { key, record } = await database.transaction((tx) => issueKey(tx, input));
    note(`Key ${record.id} of ${options.account}, shown this once:`);
    print(key);
  });
}

export function listKeysCommand(config: Config, options: OfAccount & ListFlags) {
  return useDatabase(config, async (database) => {
    const { id: accountId } = await requireAccount(database, options.account);
    const cursors = createCursorCodec(await installationSecret(database, 'cursor'));
    const keys = await everyRow((page) => listKeys({ database, cursors }, { accountId, ...page }));
    printList(['id', 'key', 'active', 'created', 'last_used', 'limits', 'name'], keys.map(rowOf), options);
  });
}

function rowOf(key: KeyRecord): Cell[] {
  const { id, name, active, createdAt, lastUsedAt, limits } = key;
  const [created, lastUsed] = [createdAt.toISOString(), lastUsedAt?.toISOString() ?? null];
  return [id, maskedKey(key), active, created, lastUsed, limitsInShort(limits), name];
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
