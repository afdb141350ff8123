export { accountRoutes } from './account.routes.ts';
export {
  type Account,
  findAccountBySlug,
  hasAccounts,
  listAccounts,
  updateAccountStatus,
} from './accounts.store.ts';
export { changeEmail, createAccount, openAccount } from './accounts.ts';
export { setPassword } from './change-password.ts';
export { authRoutes } from './identity/auth.routes.ts';
export { createIdentity } from './identity/identity.ts';
export { oidcSettingsOf } from './identity/oidc.ts';
export { createPasswords } from './identity/passwords.ts';
export { installationSecret } from './installation.store.ts';
export { checkSlug, isSlug, slugText } from './slug.ts';
