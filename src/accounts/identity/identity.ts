import type { FastifyBaseLogger } from 'fastify';
import type { Database, Sql } from '#db';
import type { Authenticator } from '#http';
import { displayNameFrom, OperatorError } from '#kernel';
import { openAccount } from '../open-account.ts';
import { isAvatarUrl } from '../profile.ts';
import { createAuthAdapter, type NewPerson } from './auth-adapter.ts';
import {
  type AuthOptions,
  createOidcAuth,
  createPasswordAuth,
  type OidcSettings,
  pagePath,
  signInPage,
} from './better-auth.ts';
import { createFlows, type Flow } from './flow.ts';
import { inTime, type OidcDeps } from './oidc.ts';
import { createPasswords, type Passwords } from './passwords.ts';
import { createSessionCookie, type SessionCookie } from './session-token.ts';
import { createSessionAuthenticator } from './sessions.ts';
import type { SignInDeps, SignUpPolicy } from './sign-in.ts';

export type IdentityOptions = {
  database: Database;
  /** 32 bytes, the same on every replica. */
  secret: Buffer;
  /** Where clients reach the service; null when nobody said. */
  publicUrl: string | null;
  signUp: SignUpPolicy;
  oidc: OidcSettings | null;
  /** Gives a new account what it starts with. */
  grantCredits: (tx: Sql, accountId: string) => Promise<void>;
  log: FastifyBaseLogger;
};

/** Signing up, in and out, and who a session is. */
export type Identity = {
  authenticator: Authenticator;
  database: Database;
  secret: Buffer;
  cookie: SessionCookie;
  publicUrl: string | null;
  passwords: Passwords;
  signIn: SignInDeps;
  /** Null without an identity provider. */
  oidc: (OidcDeps & { name: string }) | null;
};

export function createIdentity(options: IdentityOptions): Identity {
  const { database, secret, publicUrl, signUp, oidc, log } = options;
  if (oidc && publicUrl === null)
    throw new OperatorError(
      'Sign-in with an identity provider needs FANFOLD_PUBLIC_URL, where it sends people back to.',
    );
  const flows = createFlows();
  const passwords = createPasswords();
  const cookie = createSessionCookie(publicUrl?.startsWith('https:') ?? false);
  const adapter = createAuthAdapter({
    database,
    flows,
    oidcIssuer: oidc?.issuer ?? null,
    openAccount: (tx, person, flow) => openAccountOf(tx, person, flow, options),
  });
  const authOptions: AuthOptions = { adapter, secret, publicUrl, log };
  return {
    database,
    secret,
    cookie,
    publicUrl,
    passwords,
    authenticator: createSessionAuthenticator({ sql: database, secret, cookie, publicUrl }),
    signIn: { database, flows, signUp, gate: passwords.gate, auth: onDemand(() => createPasswordAuth(authOptions)) },
    oidc: oidc && {
      flows,
      name: oidc.name,
      homePath: pagePath(publicUrl, '/'),
      errorPath: pagePath(publicUrl, signInPage),
      auth: onDemand(() => inTime(createOidcAuth(authOptions, { ...oidc, allowsSignUp: signUp !== 'closed' }))),
    },
  };
}

/** Made when first needed, and again when that failed. */
function onDemand<T>(make: () => Promise<T>): () => Promise<T> {
  const made: { promise: Promise<T> | null } = { promise: null };
  return () => {
    made.promise ??= make().catch((error: unknown) => {
      made.promise = null;
      throw error;
    });
    return made.promise;
  };
}

/** What a provider says about a person is taken as far as it fits; the person can change it afterwards. */
function openAccountOf(tx: Sql, person: NewPerson, flow: Flow, { grantCredits }: IdentityOptions) {
  const name = flow.displayName ?? displayNameFrom(person.name);
  return openAccount(tx, {
    slug: flow.slug,
    email: person.email,
    emailVerified: person.emailVerified,
    ...(name === null ? {} : { displayName: name }),
    avatarUrl: person.image !== null && isAvatarUrl(person.image) ? person.image : null,
    requestId: flow.requestId,
    grantCredits,
  });
}
