import type { Sql } from '#db';
import { type Clock, createLastUses, type LastUses } from '#kernel';
import { updateKeysLastUsed } from './keys.store.ts';

/** Keeps `last_used_at` of keys. */
export type KeyUsage = LastUses;

export function createKeyUsage({ sql, clock }: { sql: Sql; clock: Clock }): KeyUsage {
  return createLastUses({ clock, write: (uses, spacingMs) => updateKeysLastUsed(sql, uses, spacingMs) });
}
