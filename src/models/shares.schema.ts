import Type, { type Static } from 'typebox';
import { nullable, said, timestamp } from '#http';
import type { CountedShare } from './shares.ts';

export const shareBody = Type.Object({
  account_slug: Type.String({
    ...said('Slug of the account that may call the model.', '可调用此模型的账户的 slug。'),
    minLength: 1,
    maxLength: 64,
  }),
  expires_at: Type.Optional(
    nullable(
      // Its form is checked by the operation: a format within a union would be a question of shape (422).
      Type.String({ maxLength: 64 }),
      said(
        'Until when, RFC 3339; a time to come. Without it, or with null, the share does not end by itself.',
        '共享的截止时间（RFC 3339），必须是将来的时间。省略或为 null 时不会自动结束。',
      ),
    ),
  ),
});

export const shareSchema = Type.Object(
  {
    id: Type.String(said('Id of the share.', '共享的 ID。')),
    account: Type.Object(
      {
        id: Type.String(said('Id of the account.', '账户的 ID。')),
        slug: Type.String(said('Slug of the account.', '账户的 slug。')),
      },
      said('Who may call the model, and pays for it.', '可调用此模型并为调用付费的账户。'),
    ),
    created_at: timestamp(said('When it was shared.', '共享的时间。')),
    expires_at: nullable(
      timestamp(said('Until when.', '截止时间。')),
      said(
        'When it ends; null: not by itself. An expired share stays in the list and opens nothing.',
        '截止时间；为 null 表示不会自动结束。过期的共享仍在列表中，但不再有效。',
      ),
    ),
    last_used_at: nullable(
      timestamp(said('Exact to a minute.', '精确到分钟。')),
      said('When it was last used, exact to a minute.', '最近一次使用的时间，精确到分钟。'),
    ),
    calls_30d: Type.Integer({
      ...said(
        'Calls of the model that the account paid in the last 30 days; whole days, UTC.',
        '该账户最近 30 天内付费调用此模型的次数，按 UTC 整日计。',
      ),
      minimum: 0,
    }),
  },
  {
    $id: 'Share',
    ...said(
      'An account that may call the model while its visibility is `shared`.',
      '在模型可见性为 `shared` 时可调用它的账户。',
    ),
  },
);

export type ShareWire = Static<typeof shareSchema>;

export function shareToWire(share: CountedShare): ShareWire {
  return {
    id: share.id,
    account: { id: share.accountId, slug: share.accountSlug },
    created_at: share.createdAt.toISOString(),
    expires_at: share.expiresAt?.toISOString() ?? null,
    last_used_at: share.lastUsedAt?.toISOString() ?? null,
    calls_30d: share.calls30d,
  };
}
