import { readFileSync } from 'node:fs';
import { OperatorError, secretIn } from '#kernel';
import { type OidcSettings, withoutSlash } from './better-auth.ts';

export type OidcConfig = {
  signUp: 'closed' | 'oidc' | 'open';
  oidcIssuer: string | null;
  oidcClientId: string | null;
  oidcClientSecret: string | null;
  oidcClientSecretFile: string | null;
  oidcName: string;
};

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
  const clientSecret = oidcClientSecret ?? secretIn(oidcClientSecretFile, 'FANFOLD_OIDC_CLIENT_SECRET_FILE', readText);
  return { issuer: withoutSlash(issuer), clientId, clientSecret, name };
}

const readText = (file: string) => readFileSync(file, 'utf8');
