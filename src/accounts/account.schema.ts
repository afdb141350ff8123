import Type, { type Static } from 'typebox';
import { creditsText, nullable, type Principal, timestamp } from '#http';
import { formatCredits } from '#kernel';
import type { OwnAccount } from './accounts.store.ts';
import { maxPasswordLength } from './password-rules.ts';

export const accountSchema = Type.Object(
  {
    id: Type.String({ description: 'Identifier.' }),
    slug: Type.String({ description: 'Part of the addresses of its projects; fixed.' }),
    email: nullable(Type.String(), 'E-mail address, in lower case.'),
    email_verified: Type.Boolean({
      description: 'Whether the operator or an identity provider vouches that the address is the person’s own.',
    }),
    display_name: Type.String({ description: 'Name for people.' }),
    avatar_url: nullable(Type.String(), 'Address of a picture.'),
    locale: Type.String({ description: 'Language tag (BCP 47).' }),
    role: Type.Union([Type.Literal('user'), Type.Literal('admin')], {
      description: '`admin` is an operator of this installation, who may use the routes for operators when signed in.',
    }),
    status: Type.Union([Type.Literal('active'), Type.Literal('suspended')], { description: 'State.' }),
    created_at: timestamp('When the account was opened.'),
    updated_at: timestamp('When it last changed.'),
    auth: Type.Object(
      {
        method: Type.Union([Type.Literal('session'), Type.Literal('api_key')], {
          description: 'How the caller proved himself.',
        }),
        key_id: nullable(Type.String(), 'The key; null with a session.'),
        identity_provider: Type.Union([Type.Literal('local'), Type.Literal('oidc')], {
          description: '`oidc` when the account has no password and signs in with the identity provider.',
        }),
        has_password: Type.Boolean({ description: 'Whether it has a password.' }),
        session_expires_at: nullable(timestamp(''), 'When the session ends unless it is used; null with a key.'),
      },
      { description: 'How this request was authenticated.' },
    ),
    credits: Type.Object({ available: creditsText('Credits that a new call may use.') }, { description: 'Credits.' }),
    limits: Type.Object(
      {
        max_active_keys: Type.Integer({ description: 'Keys that may be active at a time.' }),
        max_projects: Type.Integer({ description: 'Projects that may be open at a time.' }),
      },
      { description: 'Bounds of the account.' },
    ),
  },
  { $id: 'Account' },
);

export type AccountWire = Static<typeof accountSchema>;

export function accountToWire(account: OwnAccount, principal: Pick<Principal, 'method' | 'keyId'>): AccountWire {
  return {
    id: account.id,
    slug: account.slug,
    email: account.email,
    email_verified: account.emailVerified,
    display_name: account.displayName,
    avatar_url: account.avatarUrl,
    locale: account.locale,
    role: account.role,
    status: account.status,
    created_at: account.createdAt.toISOString(),
    updated_at: account.updatedAt.toISOString(),
    auth: {
      method: principal.method,
      key_id: principal.keyId,
      identity_provider: account.isExternal && !account.hasPassword ? 'oidc' : 'local',
      has_password: account.hasPassword,
      session_expires_at: account.sessionExpiresAt?.toISOString() ?? null,
    },
    credits: { available: formatCredits(account.availableMicro) },
    limits: { max_active_keys: account.maxActiveKeys, max_projects: account.maxProjects },
  };
}

export const profileBody = Type.Object({
  display_name: Type.Optional(Type.String({ description: '1 to 80 characters on one line.' })),
  avatar_url: Type.Optional(
    nullable(Type.String(), 'An https address of at most 2048 characters; null takes it away.'),
  ),
  locale: Type.Optional(Type.String({ description: 'Language tag, such as `en` or `zh-CN`.' })),
});

export const passwordBody = Type.Object({
  current_password: Type.String({ description: 'The present password.', maxLength: maxPasswordLength }),
  new_password: Type.String({ description: '12 to 128 characters, hard to guess.' }),
});

export const deletionBody = Type.Object({
  password: Type.Optional(
    Type.String({ description: 'The password, where the account has one.', maxLength: maxPasswordLength }),
  ),
  confirmation: Type.Optional(
    Type.String({ description: 'E-mail address or slug of an account without a password.', maxLength: 254 }),
  ),
});
