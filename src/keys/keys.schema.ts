import Type, { type Static } from 'typebox';
import { nullable, timestamp } from '#http';
import { changeLimitsBody, type LimitsWithUsage, limitsSchema, limitsToWire } from '#limits';
import { keyPattern, maskedKey } from './key.ts';
import type { KeyRecord } from './keys.store.ts';

export const createKeyBody = Type.Object({
  name: Type.Optional(
    Type.String({
      description: 'Name for people: 1 to 80 characters on one line, not only spaces.',
      default: 'API key',
      minLength: 1,
      maxLength: 80,
    }),
  ),
  limits: Type.Optional(
    Type.Object(changeLimitsBody.properties, {
      description: 'Limits on calls with the key, in force from the first one on. Left out: none.',
    }),
  ),
});

const keyFields = {
  id: Type.String({ description: 'Id of the key.' }),
  name: Type.String({ description: 'Name for people.' }),
  masked_key: Type.String({ description: 'Beginning and end of the key.' }),
  active: Type.Boolean({ description: 'Whether it authenticates.' }),
  created_at: timestamp('When it was made.'),
  last_used_at: nullable(timestamp('When it was last used, to the minute.'), 'Null: never.'),
  limits: nullable(limitsSchema, 'Null: the key has no limits.'),
};

/** A key as lists show it (interface 2.5); it never holds a working credential. */
export const keySchema = Type.Object(keyFields, { $id: 'Key' });

/** The answer to its creation: the only one with the secret. */
export const issuedKeySchema = Type.Object(
  {
    ...keyFields,
    key: Type.String({
      description: 'The key itself. It is shown here and never again.',
      pattern: keyPattern.source,
    }),
  },
  { $id: 'IssuedKey' },
);

export type KeyWire = Static<typeof keySchema>;

/** `limits` are those of the key and how far they are used, if it has any. */
export function keyToWire(record: KeyRecord, limits: LimitsWithUsage | undefined): KeyWire {
  return {
    id: record.id,
    name: record.name,
    masked_key: maskedKey(record),
    active: record.active,
    created_at: record.createdAt.toISOString(),
    last_used_at: record.lastUsedAt?.toISOString() ?? null,
    limits: limits ? limitsToWire(limits) : null,
  };
}
