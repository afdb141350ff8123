import Type, { type Static } from 'typebox';
import { nullable, timestamp } from '#http';
import type { CountedShare } from './shares.ts';

export const shareBody = Type.Object({
  account_slug: Type.String({
    description: 'Slug, or e-mail address, of the account that may call the model.',
    minLength: 1,
    maxLength: 254,
  }),
  expires_at: Type.Optional(
    nullable(
      // Its form is checked by the operation: a format within a union would be a question of shape (422).
      Type.String({ maxLength: 64 }),
      'Until when, RFC 3339; a time to come. Without it, or with null, the share does not end by itself.',
    ),
  ),
});

export const shareSchema = Type.Object(
  {
    id: Type.String({ description: 'Id of the share.' }),
    account: Type.Object(
      {
        id: Type.String({ description: 'Id of the account.' }),
        slug: Type.String({ description: 'Slug of the account.' }),
      },
      { description: 'Who may call the model, and pays for it.' },
    ),
    created_at: timestamp('When it was shared.'),
    expires_at: nullable(
      timestamp('Until when.'),
      'When it ends; null: not by itself. An expired share stays in the list and opens nothing.',
    ),
    last_used_at: nullable(timestamp('Exact to a minute.'), 'When it was last used, exact to a minute.'),
    calls_30d: Type.Integer({
      description: 'Calls of the model that the account paid in the last 30 days; whole days, UTC.',
      minimum: 0,
    }),
  },
  {
    $id: 'Share',
    description: 'An account that may call the model while its visibility is `shared`.',
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
