import Type, { type Static } from 'typebox';
import { creditsText, nullable, type Principal, said, timestamp } from '#http';
import { formatCredits } from '#kernel';
import type { OwnAccount } from './accounts.store.ts';
import { maxPasswordLength } from './password-rules.ts';

export const accountSchema = Type.Object(
  {
    id: Type.String(said('Identifier.', '标识符。')),
    slug: Type.String(said('Part of the addresses of its projects; fixed.', '用于其项目地址的一部分，不可更改。')),
    email: nullable(Type.String(), said('E-mail address, in lower case.', '邮箱地址（小写）。')),
    email_verified: Type.Boolean(
      said(
        'Whether the operator or an identity provider vouches that the address is the person’s own.',
        '运营方或身份提供方是否已确认该邮箱属于本人。',
      ),
    ),
    display_name: Type.String(said('Name for people.', '显示名称。')),
    avatar_url: nullable(Type.String(), said('Address of a picture.', '头像地址。')),
    locale: Type.String(said('Language tag (BCP 47).', '语言标签（BCP 47）。')),
    role: Type.Union(
      [Type.Literal('user'), Type.Literal('admin')],
      said(
        '`admin` marks an account of the operator; it opens nothing more.',
        '`admin` 表示运营方的账户；不带来额外权限。',
      ),
    ),
    status: Type.Union([Type.Literal('active'), Type.Literal('suspended')], said('State.', '状态。')),
    created_at: timestamp(said('When it was opened.', '开户时间。')),
    updated_at: timestamp(said('When it last changed.', '最近一次变更时间。')),
    auth: Type.Object(
      {
        method: Type.Union(
          [Type.Literal('session'), Type.Literal('api_key')],
          said('How the caller proved himself.', '调用者的认证方式。'),
        ),
        key_id: nullable(Type.String(), said('The key; null with a session.', '所用密钥；使用会话时为 null。')),
        identity_provider: Type.Union(
          [Type.Literal('local'), Type.Literal('oidc')],
          said(
            '`oidc` when the account has no password and signs in with the identity provider.',
            '账户没有密码、通过身份提供方登录时为 `oidc`。',
          ),
        ),
        has_password: Type.Boolean(said('Whether it has a password.', '是否设有密码。')),
        session_expires_at: nullable(
          timestamp(said('', '')),
          said(
            'When the session ends unless it is used; null with a key.',
            '若不再使用，会话将于何时结束；使用密钥时为 null。',
          ),
        ),
      },
      said('How this request was authenticated.', '本次请求的认证信息。'),
    ),
    credits: Type.Object(
      { available: creditsText(said('Credits that a new call may use.', '新调用可用的额度。')) },
      said('Credits.', '额度。'),
    ),
    limits: Type.Object(
      {
        max_active_keys: Type.Integer(said('Keys that may be active at a time.', '可同时启用的密钥数。')),
        max_projects: Type.Integer(said('Projects that may be open at a time.', '可同时存在的未归档项目数。')),
      },
      said('Bounds of the account.', '账户限制。'),
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
  display_name: Type.Optional(Type.String(said('1 to 80 characters on one line.', '1 到 80 个字符，单行。'))),
  avatar_url: Type.Optional(
    nullable(
      Type.String(),
      said(
        'An https address of at most 2048 characters; null takes it away.',
        'https 地址，最长 2048 个字符；null 表示移除。',
      ),
    ),
  ),
  locale: Type.Optional(
    Type.String(said('Language tag, such as `en` or `zh-CN`.', '语言标签，例如 `en` 或 `zh-CN`。')),
  ),
});

export const passwordBody = Type.Object({
  current_password: Type.String({ ...said('The present password.', '当前密码。'), maxLength: maxPasswordLength }),
  new_password: Type.String(said('12 to 128 characters, hard to guess.', '12 到 128 个字符，且不易猜测。')),
});
