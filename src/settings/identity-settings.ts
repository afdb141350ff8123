import { httpAddress, type SettingsOf, words } from './setting.ts';

export type IdentityValues = {
  /** null: no identity provider. */
  oidcIssuer: string | null;
  oidcClientId: string | null;
  oidcClientSecret: string | null;
  /** File that holds the secret, instead. */
  oidcClientSecretFile: string | null;
  oidcName: string;
};

export const identitySettings: SettingsOf<IdentityValues> = {
  oidcIssuer: {
    env: 'FANFOLD_OIDC_ISSUER',
    fallback: null,
    expected: 'the address of an OpenID provider, as its discovery document gives it',
    read: httpAddress,
  },
  oidcClientId: {
    env: 'FANFOLD_OIDC_CLIENT_ID',
    fallback: null,
    expected: 'the name that the provider knows this service by',
    read: words,
  },
  oidcClientSecret: { env: 'FANFOLD_OIDC_CLIENT_SECRET', fallback: null, expected: 'a secret', read: words },
  oidcClientSecretFile: { env: 'FANFOLD_OIDC_CLIENT_SECRET_FILE', fallback: null, expected: 'a file', read: words },
  oidcName: { env: 'FANFOLD_OIDC_NAME', fallback: 'Single sign-on', expected: 'a name for people', read: words },
};
