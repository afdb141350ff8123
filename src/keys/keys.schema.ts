import Type, { type Static } from 'typebox';
import { nullable, said, timestamp } from '#http';
import { changeLimitsBody, type LimitsView, limitsSchema, limitsToWire } from '#limits';
import { keyPattern, maskedKey } from './key.ts';
import type { KeyRecord } from './keys.store.ts';

export const createKeyBody = Type.Object({
  name: Type.Optional(
    Type.String({
      ...said(
        'Name for people: 1 to 80 characters on one line, not only spaces.',
        '供人辨认的名称：1 到 80 个字符，单行，不能只有空格。',
      ),
      default: 'API key',
      minLength: 1,
      maxLength: 80,
    }),
  ),
  limits: Type.Optional(
    Type.Object(
      changeLimitsBody.properties,
      said(
        'Limits on calls with the key, in force from the first one on. Left out: none.',
        '对使用该密钥的调用的限制，从第一次调用起生效。省略时不限制。',
      ),
    ),
  ),
});

const keyFields = {
  id: Type.String(said('Id of the key.', '密钥的 ID。')),
  name: Type.String(said('Name for people.', '供人辨认的名称。')),
  masked_key: Type.String(said('Beginning and end of the key.', '密钥的开头与结尾。')),
  active: Type.Boolean(said('Whether it authenticates.', '当前是否有效。')),
  created_at: timestamp(said('When it was made.', '创建时间。')),
  last_used_at: nullable(
    timestamp(said('When it was last used, to the minute.', '最近一次使用的时间，精确到分钟。')),
    said('Null: never.', '为 null 表示从未使用。'),
  ),
  limits: nullable(limitsSchema, said('Null: the key has no limits.', '为 null 表示该密钥没有限制。')),
};

/** A key as lists show it (interface 2.5); it never holds a working credential. */
export const keySchema = Type.Object(keyFields, { $id: 'Key' });

/** The answer to its creation: the only one with the secret. */
export const issuedKeySchema = Type.Object(
  {
    ...keyFields,
    key: Type.String({
      ...said('The key itself. It is shown here and never again.', '密钥本身，仅在此显示一次。'),
      pattern: keyPattern.source,
    }),
  },
  { $id: 'IssuedKey' },
);

export type KeyWire = Static<typeof keySchema>;

/** `limits` are those of the key and how far they are used, if it has any. */
export function keyToWire(record: KeyRecord, limits: LimitsView | undefined): KeyWire {
  return {
    id: record.id,
    name: record.name,
    masked_key: maskedKey(record.mask),
    active: record.active,
    created_at: record.createdAt.toISOString(),
    last_used_at: record.lastUsedAt?.toISOString() ?? null,
    limits: limits ? limitsToWire(limits) : null,
  };
}
