import { createBatcher, type Sql } from '#db';
import type { Authenticator } from '#http';
import { type Clock, createLastUses, fault, type LastUses } from '#kernel';
import { bearerDigest } from './key.ts';
import { findKeyOwners, type KeyOwner, updateKeysLastUsed } from './keys.store.ts';

const lanes = 4;
const maxItems = 512;

/**
 * Authenticates API keys. Nothing is remembered: every request asks the database after it arrived, so a key that was
 * deactivated is dead for the very next one, on every replica. All requests of one turn share a statement, and what
 * cannot be a key is refused without one.
 */
export function createKeyAuthenticator({ sql, usage }: { sql: Sql; usage: KeyUsage }): Authenticator {
  const batcher = createBatcher<string, KeyOwner | null>({
    name: 'keys.authenticate',
    lanes,
    maxItems,
    run: async (digests) => {
      const owners = await findKeyOwners(sql, digests);
      return digests.map((digest) => owners.get(digest) ?? null);
    },
  });
  return async (headers) => {
    const digest = bearerDigest(headers);
    const owner = digest === null ? null : await batcher.submit(digest);
    if (owner === null) return null;
    if (owner.status === 'suspended') throw fault('account_suspended');
    usage.seen(owner.keyId);
    const { accountId, accountSlug, role, keyId, keyName } = owner;
    return { accountId, accountSlug, role, method: 'api_key', keyId, keyName, sessionId: null };
  };
}

/** Keeps `last_used_at` of keys. */
export type KeyUsage = LastUses;

export function createKeyUsage({ sql, clock }: { sql: Sql; clock: Clock }): KeyUsage {
  return createLastUses({ clock, write: (uses, spacingMs) => updateKeysLastUsed(sql, uses, spacingMs) });
}
