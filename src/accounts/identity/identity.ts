import type { FastifyBaseLogger } from 'fastify';
import type { Database } from '#db';
import type { Authenticator } from '#http';
import { OperatorError } from '#kernel';
import { createOidcSignIn, type OidcSettings, type OidcSignIn } from './oidc.ts';
import { createPasswords, type Passwords } from './passwords.ts';
import { type Cookie, createCookie, createSessionCookie, type SessionCookie } from './session-token.ts';
import { createSessionAuthenticator } from './sessions.ts';
import type { SignInDeps } from './sign-in.ts';

export type IdentityOptions = Omit<SignInDeps, 'passwords'> & {
  /** 32 bytes, the same on every replica. */
  secret: Buffer;
  publicUrl: string | null;
  oidc: OidcSettings | null;
  log: FastifyBaseLogger;
};

export type IdentityServices = {
  authenticator: Authenticator;
  database: Database;
  secret: Buffer;
  cookie: SessionCookie;
  /** Holds a sign-in at the identity provider until the person comes back. */
  pendingCookie: Cookie;
  publicUrl: string | null;
  passwords: Passwords;
  signIn: SignInDeps;
  oidc: OidcSignIn | null;
};

export const authPath = '/api/v1/auth';

export function createIdentity(options: IdentityOptions): IdentityServices {
  const { database, secret, publicUrl, oidc } = options;
  if (oidc && publicUrl === null)
    throw new OperatorError(
      'Sign-in with an identity provider needs FANFOLD_PUBLIC_URL, where it sends people back to.',
    );
  const passwords = createPasswords();
  const isSecure = publicUrl?.startsWith('https:') ?? false;
  const cookie = createSessionCookie(isSecure);
  const signIn = { ...options, passwords };
  const callbackUrl = `${publicUrl}${authPath}/callback/oidc`;
  return {
    database,
    secret,
    cookie,
    publicUrl,
    passwords,
    signIn,
    pendingCookie: createCookie('fanfold_oidc', isSecure),
    authenticator: createSessionAuthenticator({ sql: database, secret, cookie, publicUrl }),
    oidc: oidc && createOidcSignIn({ ...signIn, settings: oidc, callbackUrl }),
  };
}

/** A path of our pages, which may lie below another path of their host. */
export function pagePath(publicUrl: string | null, path: string): string {
  return `${publicUrl === null ? '' : new URL(publicUrl).pathname.replace(/\/$/, '')}${path}`;
}
