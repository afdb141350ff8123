export { type Account, findAccountBySlug, hasAccounts, listAccounts } from './accounts.store.ts';
export { createAccount, type NewAccount } from './accounts.ts';
export { installationSecret } from './installation.store.ts';
export { checkSlug, isSlug } from './slug.ts';
