export { type AccountDeps, accountRoutes } from './account.routes.ts';
export {
  type Account,
  findAccountBySlug,
  hasAccounts,
  listAccounts,
  updateAccountStatus,
} from './accounts.store.ts';
export { changeEmail, createAccount, type NewAccount } from './accounts.ts';
export { changePassword, setPassword } from './change-password.ts';
export { authRoutes } from './identity/auth.routes.ts';
export type { OidcSettings } from './identity/better-auth.ts';
export { createIdentity, type Identity } from './identity/identity.ts';
export { oidcSettingsOf } from './identity/oidc-settings.ts';
export { createPasswords, type Passwords } from './identity/passwords.ts';
export type { SignUpPolicy } from './identity/sign-in.ts';
export { installationSecret } from './installation.store.ts';
export { type Opening, openAccount } from './open-account.ts';
export { checkSlug, isSlug } from './slug.ts';
