import { readFileSync } from 'node:fs';
import type { FastifyBaseLogger } from 'fastify';
import type { Configuration } from 'openid-client';
import type { Sql } from '#db';
import { createTextSeal, displayNameFrom, Fault, fault, OperatorError, secretIn } from '#kernel';
import { foldEmail, openAccount } from '../accounts.ts';
import { isAvatarUrl } from '../profile.ts';
import type { SignUpPolicy } from '../sign-up-terms.store.ts';
import { findAccountByEmail, findAccountByIdentity, insertIdentity, updateEmailVerified } from './identities.store.ts';
import { type SignInContext, type SignInDeps, type StartedSession, startSession } from './sign-in.ts';

type OidcConfig = {
  signUp: SignUpPolicy;
  oidcIssuer: string | null;
  oidcClientId: string | null;
  oidcClientSecret: string | null;
  oidcClientSecretFile: string | null;
  oidcName: string;
};

export type OidcSettings = { issuer: string; clientId: string; clientSecret: string | null; name: string };

/** The identity provider of a configuration, all of it or none; null when there is none. */
export function oidcSettingsOf(config: OidcConfig): OidcSettings | null {
  const { oidcIssuer: issuer, oidcClientId: clientId, oidcClientSecret, oidcClientSecretFile, oidcName: name } = config;
  if (issuer === null && clientId === null) {
    // Without a provider nobody could sign up.
    if (config.signUp === 'oidc')
      throw new OperatorError('FANFOLD_SIGNUP=oidc needs FANFOLD_OIDC_ISSUER and FANFOLD_OIDC_CLIENT_ID.');
    return null;
  }
  if (issuer === null) throw new OperatorError('FANFOLD_OIDC_CLIENT_ID needs FANFOLD_OIDC_ISSUER.');
  if (clientId === null) throw new OperatorError('FANFOLD_OIDC_ISSUER needs FANFOLD_OIDC_CLIENT_ID.');
  const readText = (file: string) => readFileSync(file, 'utf8');
  const clientSecret = oidcClientSecret ?? secretIn(oidcClientSecretFile, 'FANFOLD_OIDC_CLIENT_SECRET_FILE', readText);
  return { issuer: withoutSlash(issuer), clientId, clientSecret, name };
}

/** Accounts are linked to the issuer's name: with and without a slash at its end it is the same provider. */
function withoutSlash(issuer: string): string {
  return issuer.replace(/\/+$/, '');
}

export type OidcDeps = SignInDeps & {
  settings: OidcSettings;
  secret: Buffer;
  callbackUrl: string;
  log: FastifyBaseLogger;
};

/** What a sign-in needs when the person comes back; the browser keeps it, encrypted, until then. */
type PendingSignIn = { state: string; nonce: string; codeVerifier: string; returnTo: string };

export type OidcCallback = { query: Record<string, string>; pending: string | null; visit: SignInContext };

/** `failure`: why nobody is signed in, for the page that says so. */
type OidcArrival = { session: StartedSession; returnTo: string } | { failure: string };

export type OidcSignIn = ReturnType<typeof createOidcSignIn>;

const timeoutSeconds = 15;

export function createOidcSignIn(deps: OidcDeps) {
  const { settings, secret, log, callbackUrl } = deps;
  let discovered: Promise<Configuration> | null = null;
  const configuration = () => {
    discovered ??= discover(deps).catch((error: unknown) => {
      discovered = null;
      throw error;
    });
    return discovered;
  };
  return {
    name: settings.name,

    /** Where to send the person, and what the browser has to keep. Throws `service_unavailable`. */
    async depart(returnTo: string): Promise<{ url: string; pending: string }> {
      const client = await import('openid-client');
      const [state, nonce, codeVerifier] = [
        client.randomState(),
        client.randomNonce(),
        client.randomPKCECodeVerifier(),
      ];
      const url = client.buildAuthorizationUrl(await configuration(), {
        redirect_uri: callbackUrl,
        scope: 'openid email profile',
        code_challenge: await client.calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: 'S256',
        state,
        nonce,
      });
      const pending: PendingSignIn = { state, nonce, codeVerifier, returnTo };
      return { url: url.href, pending: sealOf(secret).seal(JSON.stringify(pending)) };
    },

    async arrive({ query, pending: sealed, visit }: OidcCallback): Promise<OidcArrival> {
      const pending = sealed === null ? null : readPending(secret, sealed);
      if (pending === null || query.state !== pending.state) return { failure: 'state_mismatch' };
      if (query.error !== undefined)
        return { failure: query.error === 'access_denied' ? query.error : 'sign_in_failed' };
      try {
        const person = await readPerson(await configuration(), { callbackUrl, query, pending });
        const session = await deps.database.transaction((tx) => signInPerson(tx, deps, { person, visit }));
        return { session, returnTo: pending.returnTo };
      } catch (error) {
        if (error instanceof SignInRefused) return { failure: error.message };
        if (error instanceof Fault && error.row.status !== 500) return { failure: failureOf(error) };
        if (error instanceof Fault) throw error;
        log.warn({ err: error }, 'sign-in at the identity provider failed');
        return { failure: 'sign_in_failed' };
      }
    },
  };
}

/** A provider that says it is another one is refused: people are stored under the issuer that was configured. */
async function discover({ settings, log }: OidcDeps): Promise<Configuration> {
  const client = await import('openid-client');
  const { issuer, clientId, clientSecret } = settings;
  const authentication = clientSecret === null ? client.None() : client.ClientSecretBasic(clientSecret);
  const address = new URL(`${issuer}/.well-known/openid-configuration`);
  const execute = address.protocol === 'http:' ? [client.allowInsecureRequests] : [];
  const options = { execute, timeout: timeoutSeconds };
  const found = await client
    .discovery(address, clientId, undefined, authentication, options)
    .catch((cause: unknown) => {
      throw providerUnavailable(cause);
    });
  const named = found.serverMetadata().issuer;
  if (withoutSlash(named) === issuer) return found;
  log.error({ issuer: named }, `FANFOLD_OIDC_ISSUER is ${issuer}, and the provider there is another`);
  throw providerUnavailable();
}

function providerUnavailable(cause?: unknown): Fault {
  return fault('service_unavailable', {
    message: 'The identity provider cannot be reached at present.',
    retryAfterSeconds: 5,
    cause,
  });
}

type Person = { subject: string; email: string | null; emailVerified: boolean; name: string; picture: string | null };

async function readPerson(
  configuration: Configuration,
  { callbackUrl, query, pending }: { callbackUrl: string; query: Record<string, string>; pending: PendingSignIn },
): Promise<Person> {
  const client = await import('openid-client');
  const url = new URL(`${callbackUrl}?${new URLSearchParams(query)}`);
  const { state: expectedState, nonce: expectedNonce, codeVerifier: pkceCodeVerifier } = pending;
  const checks = { expectedState, expectedNonce, pkceCodeVerifier, idTokenExpected: true };
  const tokens = await client.authorizationCodeGrant(configuration, url, checks);
  const claims = tokens.claims();
  if (!claims) throw new SignInRefused('sign_in_failed');
  // Some providers tell about a person there only.
  const more = claims.email === undefined ? client.fetchUserInfo(configuration, tokens.access_token, claims.sub) : {};
  const { email, email_verified: verified, name, picture }: Record<string, unknown> = { ...claims, ...(await more) };
  return {
    subject: claims.sub,
    email: typeof email === 'string' ? foldEmail(email) : null,
    emailVerified: verified === true,
    name: typeof name === 'string' ? name : '',
    picture: typeof picture === 'string' && isAvatarUrl(picture) ? picture : null,
  };
}

/** Why a person is not signed in, as a word for the page. */
class SignInRefused extends Error {}

/** Signs in the account of a person; opens one for a new person. Throws `SignInRefused`, `account_suspended`. */
async function signInPerson(
  tx: Sql,
  { settings: { issuer }, signUp, grantCredits }: OidcDeps,
  { person, visit }: { person: Person; visit: SignInContext },
): Promise<StartedSession> {
  const { subject, email, emailVerified } = person;
  const known = await findAccountByIdentity(tx, issuer, subject);
  if (known) {
    if (emailVerified && !known.emailVerified && known.email === email) await updateEmailVerified(tx, known.id);
    return startSession(tx, { accountId: known.id, passwordHash: null }, visit);
  }
  if (email === null) throw new SignInRefused('email_missing');
  const owner = await findAccountByEmail(tx, email);
  // By address only when the provider and we have both seen that it is the person's own.
  if (owner && !(emailVerified && owner.emailVerified)) throw new SignInRefused('account_not_linked');
  if (!owner && (await signUp()) === 'closed') throw new SignInRefused('sign_up_closed');
  const name = displayNameFrom(person.name);
  const account =
    owner ??
    (await openAccount(tx, {
      slug: null,
      email,
      emailVerified,
      ...(name === null ? {} : { displayName: name }),
      avatarUrl: person.picture,
      requestId: visit.requestId,
      grantCredits,
    }));
  if (!(await insertIdentity(tx, { issuer, subject, accountId: account.id, passwordHash: null })))
    throw new SignInRefused('sign_in_failed');
  return startSession(tx, { accountId: account.id, passwordHash: null }, visit);
}

/** Pages know these reasons, and print no foreign text. */
function failureOf({ row }: Fault): string {
  const known = ['account_suspended', 'email_taken', 'service_unavailable'];
  return known.includes(row.code) ? row.code : 'sign_in_failed';
}

const sealOf = (secret: Buffer) => createTextSeal(secret, 'oidc state');

/** null: this server has not made it. */
function readPending(secret: Buffer, sealed: string): PendingSignIn | null {
  const text = sealOf(secret).open(sealed);
  // as: sealed by this server.
  return text === null ? null : (JSON.parse(text) as PendingSignIn);
}
