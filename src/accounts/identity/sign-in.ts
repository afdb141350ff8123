import type { Database, Sql } from '#db';
import { checkDisplayName, fault, newId } from '#kernel';
import { checkEmail, foldEmail, openAccount } from '../accounts.ts';
import { checkPassword, maxPasswordLength } from '../password-rules.ts';
import type { SignUpPolicy } from '../sign-up-terms.store.ts';
import { checkSlug } from '../slug.ts';
import { findAccountByEmail, findPassword, insertIdentity, isSuspended, localIssuer } from './identities.store.ts';
import type { Passwords } from './passwords.ts';
import { digestOfToken, newToken } from './session-token.ts';
import { insertSession, type SessionClient } from './sessions.store.ts';
import { forgiveSignIn, takeSignInTry, takeSignUpTry } from './throttle.ts';

export type SignInDeps = {
  database: Database;
  passwords: Passwords;
  /** As it is now: operators change it. */
  signUp: () => Promise<SignUpPolicy>;
  grantCredits: (tx: Sql, accountId: string) => Promise<void>;
};

export type SignInContext = SessionClient & { ip: string; requestId: string };

export type SignUp = { email: string; password: string; slug: string | null; displayName: string | null };

export type StartedSession = { id: string; accountId: string; token: string };

/**
 * Opens an account with a password and signs in. Account, password and session are made in one transaction. Throws
 * `forbidden` when sign-up is closed, `invalid_request`, `slug_taken`, `email_taken`, `rate_limited`.
 */
export async function signUpWithPassword(
  deps: SignInDeps,
  signUp: SignUp,
  visit: SignInContext,
): Promise<StartedSession> {
  const { database, passwords, grantCredits } = deps;
  if ((await deps.signUp()) !== 'open') throw signUpClosed();
  const { password, slug, displayName } = signUp;
  const email = checkEmail(signUp.email);
  if (slug !== null) checkSlug(slug);
  if (displayName !== null) checkDisplayName(displayName, 'display_name');
  checkPassword(password, 'password', { email, slug: slug ?? '', displayName: displayName ?? '' });
  await takeSignUpTry(database, visit.ip);
  const passwordHash = await passwords.hash(password);
  return database.transaction(async (tx) => {
    if (await findAccountByEmail(tx, email)) throw fault('email_taken', { param: 'email' });
    const name = displayName === null ? {} : { displayName };
    const { id } = await openAccount(tx, { slug, email, ...name, requestId: visit.requestId, grantCredits });
    await insertIdentity(tx, { issuer: localIssuer, subject: id, accountId: id, passwordHash });
    return startSession(tx, { accountId: id, passwordHash }, visit);
  });
}

/**
 * Signs in with a password. Unknown address, no password and wrong password are one answer after the same work:
 * `invalid_credentials`. Throws `rate_limited`, `account_suspended` (when the password is right).
 */
export async function signInWithPassword(
  { database, passwords }: SignInDeps,
  { email: given, password }: { email: string; password: string },
  visit: SignInContext,
): Promise<StartedSession> {
  const email = foldEmail(given);
  if (email === null || password.length > maxPasswordLength) throw wrongEmailOrPassword();
  const attempt = { email, ip: visit.ip };
  await takeSignInTry(database, attempt);
  const found = await findPassword(database, email);
  if (!found) await passwords.hash(password);
  if (!found || !(await passwords.matches(password, found.passwordHash))) throw wrongEmailOrPassword();
  const session = await startSession(database, found, visit);
  await forgiveSignIn(database, attempt);
  return session;
}

/**
 * @param proof `passwordHash`: of the password that was right; null when the person proved who he is otherwise. Throws
 * `account_suspended`, and `invalid_credentials` when the password was changed since it was checked.
 */
export async function startSession(
  sql: Sql,
  { accountId, passwordHash }: { accountId: string; passwordHash: string | null },
  { userAgent }: SessionClient,
): Promise<StartedSession> {
  const [id, token] = [newId('ses'), newToken()];
  if (await insertSession(sql, { id, accountId, digest: digestOfToken(token), passwordHash, userAgent }))
    return { id, accountId, token };
  throw fault((await isSuspended(sql, accountId)) ? 'account_suspended' : 'invalid_credentials');
}

function wrongEmailOrPassword() {
  return fault('invalid_credentials', { message: 'The e-mail address or the password is wrong.' });
}

function signUpClosed() {
  return fault('forbidden', {
    message: 'Sign-up is closed. Ask the operator for an account.',
    details: { reason: 'sign_up_closed' },
  });
}
