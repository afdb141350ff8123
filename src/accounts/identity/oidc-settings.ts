import { readFileSync } from 'node:fs';
import { OperatorError } from '#kernel';
import type { OidcSettings } from './better-auth.ts';

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
    // Nobody could come in.
    if (config.signUp === 'oidc')
      throw new OperatorError('FANFOLD_SIGNUP=oidc needs FANFOLD_OIDC_ISSUER and FANFOLD_OIDC_CLIENT_ID.');
    return null;
  }
  if (issuer === null) throw new OperatorError('FANFOLD_OIDC_CLIENT_ID needs FANFOLD_OIDC_ISSUER.');
  if (clientId === null) throw new OperatorError('FANFOLD_OIDC_ISSUER needs FANFOLD_OIDC_CLIENT_ID.');
  const clientSecret = oidcClientSecret ?? (oidcClientSecretFile === null ? null : readSecret(oidcClientSecretFile));
  // People are kept under this name, so a slash more or less must not make strangers of them.
  return { issuer: issuer.replace(/\/+$/, ''), clientId, clientSecret, name };
}

function readSecret(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw new OperatorError(`The file of FANFOLD_OIDC_CLIENT_SECRET_FILE, ${file}, cannot be read.`, { cause: error });
  }
}
