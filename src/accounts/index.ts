export { accountRoutes } from './account.routes.ts';
export {
  type Account,
  findAccountBySlug,
  hasAccounts,
  listAccounts,
  updateAccountRole,
  updateAccountStatus,
} from './accounts.store.ts';
export { changeEmail, createAccount, findAccount, openAccount } from './accounts.ts';
export { setPassword } from './change-password.ts';
export { type AccountRemoval, createAccountRemoval } from './deletion/account-removal.ts';
export { type AccountParts, deleteSuspendedAccount } from './deletion/delete-account.ts';
export { lockWithOperators } from './deletion/deletion.store.ts';
export {
  countDirectory,
  type DirectoryAccount,
  findDirectoryAccount,
  listDirectory,
} from './directory.store.ts';
export { authRoutes } from './identity/auth.routes.ts';
export { createIdentity } from './identity/identity.ts';
export { deleteInvitation, type Invitation, listInvitations } from './identity/invitations.store.ts';
export { createStartToken, invite, joinPath } from './identity/invitations.ts';
export { oidcSettingsOf } from './identity/oidc.ts';
export { createPasswords } from './identity/passwords.ts';
export { installationSecret } from './installation.store.ts';
export {
  readSignUpTerms,
  type SignUpPolicy,
  type SignUpTerms,
  updateSignUpTerms,
} from './sign-up-terms.store.ts';
export { checkSlug, isSlug, slugText } from './slug.ts';
