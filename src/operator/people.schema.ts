import Type, { type Static } from 'typebox';
import type { DirectoryAccount, Invitation, SignUpTerms } from '#accounts';
import { creditsPattern, creditsText, nullable, pageQuery, timestamp } from '#http';
import { formatCredits } from '#kernel';
import { changeLimitsBody } from '#limits';

const role = Type.Enum(['user', 'admin'], { description: '`admin` is an operator of this installation.' });
const status = Type.Enum(['active', 'suspended'], {
  description: 'Keys and sessions of a suspended account are refused.',
});

export const personSchema = Type.Object(
  {
    id: Type.String({ description: 'Identifier.' }),
    slug: Type.String({ description: 'Part of the addresses of its projects; fixed.' }),
    email: nullable(Type.String(), 'E-mail address, in lower case.'),
    email_verified: Type.Boolean({
      description: 'Whether the operator or an identity provider vouches that the address is the person’s own.',
    }),
    display_name: Type.String({ description: 'Name for people.' }),
    role,
    status,
    can_sign_in: Type.Boolean({ description: 'Whether it has a password or an identity at a provider.' }),
    balance: creditsText('Credits, those reserved by running work included.'),
    reserved: creditsText('Credits that running work has reserved.'),
    created_at: timestamp('When the account was opened.'),
  },
  { $id: 'Person' },
);

export const peopleQuery = Type.Object({
  ...pageQuery,
  search: Type.Optional(
    Type.String({ description: 'Part of slug, address or display name.', minLength: 1, maxLength: 100 }),
  ),
});

export const personBody = Type.Object({ role: Type.Optional(role), status: Type.Optional(status) });

export const grantBody = Type.Object({
  credits: Type.String({ description: 'Credits to give, above 0.', pattern: creditsPattern }),
  note: Type.Optional(Type.String({ description: 'Why, for the ledger of the account.', maxLength: 200 })),
});

export const grantAnswer = Type.Object({ balance: creditsText('Credits afterwards.') });

export const personLimitsBody = Type.Object({
  ...changeLimitsBody.properties,
  storage_bytes: Type.Optional(
    nullable(
      Type.Integer({
        description: 'Bytes that the account may store: files of imports, contents of examples, and adapters.',
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
      }),
      'Null: no limit.',
    ),
  ),
});

export const invitationBody = Type.Object({
  email: Type.Optional(nullable(Type.String(), 'The address that it is for; null: any.')),
  role: Type.Optional(role),
});

const invitation = {
  id: Type.String({ description: 'Identifier.' }),
  email: nullable(Type.String(), 'The address that it is for; null: any.'),
  role,
  state: Type.Enum(['open', 'used', 'expired'], { description: 'Whether it can still be used.' }),
  account_slug: nullable(Type.String(), 'The account that was opened with it.'),
  created_at: timestamp('When it was made.'),
  expires_at: timestamp('Until when it can be used.'),
};

export const invitationSchema = Type.Object(invitation, { $id: 'Invitation' });

export const invitationsAnswer = Type.Object({
  data: Type.Array(invitationSchema, { description: 'The newest 100, newest first.' }),
});

export const newInvitationAnswer = Type.Object({
  id: invitation.id,
  link: Type.String({ description: 'To be sent to the person; shown this once.' }),
  expires_at: invitation.expires_at,
});

const policy = Type.Enum(['closed', 'oidc', 'open'], {
  description: 'Who may open an account: anyone, people of the identity provider, or only the operator.',
});

export const signUpSchema = Type.Object({
  policy,
  credits: creditsText('Credits that a new account starts with.'),
});

export const signUpBody = Type.Object({
  policy: Type.Optional(policy),
  credits: Type.Optional(
    Type.String({ description: 'Credits that a new account starts with.', pattern: creditsPattern }),
  ),
});

export function personToWire(account: DirectoryAccount): Static<typeof personSchema> {
  return {
    id: account.id,
    slug: account.slug,
    email: account.email,
    email_verified: account.emailVerified,
    display_name: account.displayName,
    role: account.role,
    status: account.status,
    can_sign_in: account.canSignIn,
    balance: formatCredits(account.balanceMicro),
    reserved: formatCredits(account.heldMicro),
    created_at: account.createdAt.toISOString(),
  };
}

export function invitationToWire(
  { id, email, role, accountSlug, createdAt, expiresAt, usedAt }: Invitation,
  now: Date,
): Static<typeof invitationSchema> {
  const state = usedAt !== null ? 'used' : expiresAt <= now ? 'expired' : 'open';
  const times = { created_at: createdAt.toISOString(), expires_at: expiresAt.toISOString() };
  return { id, email, role, state, account_slug: accountSlug, ...times };
}

export function signUpToWire({ policy, creditsMicro }: SignUpTerms): Static<typeof signUpSchema> {
  return { policy, credits: formatCredits(creditsMicro) };
}
