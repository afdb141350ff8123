import type { BetterAuthOptions, DBAdapter } from 'better-auth';
import type { GenericOAuthConfig } from 'better-auth/plugins/generic-oauth';
import type { FastifyBaseLogger } from 'fastify';
import { maxPasswordLength, minPasswordLength } from '../password-rules.ts';
import { oidcProviderId } from './auth-adapter.ts';
import { providerUnavailable } from './auth-errors.ts';
import { cookieNameOf } from './session-token.ts';

export type OidcSettings = { issuer: string; clientId: string; clientSecret: string | null; name: string };

export type AuthOptions = {
  adapter: () => DBAdapter;
  secret: Buffer;
  /** Where clients reach the service; null when nobody said, which only sign-in by password can do with. */
  publicUrl: string | null;
  log: FastifyBaseLogger;
};

export const authPath = '/api/v1/auth';

/**
 * What we take of better-auth: the steps of signing up and in, and of OpenID Connect. Its router is never mounted, as it
 * would publish far more than our contract; its limits, its cookies but for the state of a sign-in at a provider, and
 * its telemetry are off. It reads BETTER_AUTH_SECRETS of the environment unless `secrets` are given.
 */
function optionsOf({ adapter, secret, publicUrl, log }: AuthOptions) {
  const isSecure = publicUrl?.startsWith('https:') ?? false;
  return {
    appName: 'Fanfold',
    baseURL: `${publicUrl ?? 'http://localhost'}${authPath}`,
    secrets: [{ version: 1, value: secret.toString('base64url') }],
    database: adapter,
    telemetry: { enabled: false },
    rateLimit: { enabled: false },
    emailAndPassword: { enabled: true, minPasswordLength, maxPasswordLength },
    account: {
      storeStateStrategy: 'cookie',
      storeAccountCookie: false,
      updateAccountOnSignIn: false,
      // By address only when the provider and we have both seen that it is the person's own.
      accountLinking: { enabled: true, trustedProviders: [], requireLocalEmailVerified: true },
    },
    advanced: {
      useSecureCookies: false,
      disableOriginCheck: false,
      disableCSRFCheck: false,
      ipAddress: { disableIpTracking: true },
      database: { validateSchema: false },
      cookies: {
        oauth_state: {
          name: cookieNameOf(isSecure, 'fanfold_oidc'),
          attributes: { secure: isSecure, httpOnly: true, sameSite: 'lax', path: '/' },
        },
      },
    },
    onAPIError: { errorURL: pagePath(publicUrl, signInPage) },
    logger: {
      level: 'error',
      // Its arguments may hold what people sent, so only messages of errors get into the log.
      log: (_level, message, ...args) => log.warn({ reasons: args.flatMap(reasonIn) }, `better-auth: ${message}`),
    },
  } as const satisfies BetterAuthOptions;
}

/** A path of our pages, which may lie below another path of their host. */
export function pagePath(publicUrl: string | null, path: string): string {
  return `${publicUrl === null ? '' : new URL(publicUrl).pathname.replace(/\/$/, '')}${path}`;
}

/** The page where people sign in, and where they are sent back to when they could not. */
export const signInPage = '/sign-in';

const reasonIn = (value: unknown): string[] => (value instanceof Error ? [value.message] : []);

/** Sign-up and sign-in by password. */
export async function createPasswordAuth(options: AuthOptions) {
  const { betterAuth } = await import('better-auth/minimal');
  return betterAuth(optionsOf(options));
}

type OidcProvider = OidcSettings & { allowsSignUp: boolean };

/**
 * Sign-in at an identity provider, which is asked for its configuration when this is made. Throws `service_unavailable` when it
 * does not answer, or says that it is another one: people are kept under the issuer that was configured.
 */
export async function createOidcAuth(options: AuthOptions, oidc: OidcProvider) {
  const [{ betterAuth }, { genericOAuth }] = await Promise.all([
    import('better-auth/minimal'),
    import('better-auth/plugins/generic-oauth'),
  ]);
  const auth = betterAuth({ ...optionsOf(options), plugins: [genericOAuth({ config: [providerOf(oidc)] })] });
  const { socialProviders } = await auth.$context;
  const provider = socialProviders.find(({ id }) => id === oidcProviderId);
  if (!provider) throw providerUnavailable();
  const { issuer } = oidc;
  if (withoutSlash(provider.issuer ?? '') !== issuer) {
    options.log.error(
      { issuer: provider.issuer },
      `FANFOLD_OIDC_ISSUER is ${issuer}, and the provider there is another`,
    );
    throw providerUnavailable();
  }
  return auth;
}

function providerOf({ issuer, clientId, clientSecret, allowsSignUp }: OidcProvider) {
  return {
    providerId: oidcProviderId,
    clientId,
    ...(clientSecret === null ? {} : { clientSecret }),
    tokenEndpointAuth: { method: clientSecret === null ? 'none' : 'client_secret_basic' },
    discoveryUrl: `${issuer}/.well-known/openid-configuration`,
    requireIdTokenVerification: true,
    pkce: true,
    scopes: ['openid', 'email', 'profile'],
    disableSignUp: !allowsSignUp,
    // better-auth lower-cases addresses, and some letters that are not ASCII become ones that are.
    mapProfileToUser: ({ email }) =>
      typeof email === 'string' && !/^[\x21-\x7e]+$/.test(email) ? { email: null } : {},
  } as const satisfies GenericOAuthConfig;
}

/** Accounts are linked to the issuer's name: with and without a slash at its end it is the same provider. */
export function withoutSlash(issuer: string): string {
  return issuer.replace(/\/+$/, '');
}

export type PasswordAuth = Awaited<ReturnType<typeof createPasswordAuth>>;
export type OidcAuth = Awaited<ReturnType<typeof createOidcAuth>>;
