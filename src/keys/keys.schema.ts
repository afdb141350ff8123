import Type from 'typebox';
import { maskedKey } from './key.ts';
import type { KeyRecord } from './keys.store.ts';

export const createKeyBody = Type.Object({ name: Type.Optional(Type.String()) });

/** A key as lists show it (interface 2.5); it never holds a working credential. */
export type KeyWire = {
  id: string;
  name: string;
  masked_key: string;
  active: boolean;
  created_at: string;
  last_used_at: string | null;
};

export function keyToWire(record: KeyRecord): KeyWire {
  return {
    id: record.id,
    name: record.name,
    masked_key: maskedKey(record.mask),
    active: record.active,
    created_at: record.createdAt.toISOString(),
    last_used_at: record.lastUsedAt?.toISOString() ?? null,
  };
}
