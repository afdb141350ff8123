import { actorOf, recordActivity } from '#activity';
import type { Database, Sql } from '#db';
import type { Principal } from '#http';
import { fault } from '#kernel';
import { findPasswordHolder, putPassword, replacePassword } from './identity/identities.store.ts';
import type { Passwords } from './identity/passwords.ts';
import { deleteSessions } from './identity/sessions.store.ts';
import { forgivePassword, takePasswordTry } from './identity/throttle.ts';
import { checkPassword } from './password-rules.ts';

export type PasswordChange = { currentPassword: string; newPassword: string };

export type PasswordDeps = { database: Database; passwords: Passwords };

/**
 * Changes the password of the caller; all other sessions end, keys stay. Throws `state_conflict` without a password,
 * `invalid_request` for a weak one, `rate_limited`, `invalid_password`.
 */
export async function changePassword(
  { database, passwords }: PasswordDeps,
  { currentPassword, newPassword }: PasswordChange,
  { principal, requestId }: { principal: Principal; requestId: string },
): Promise<void> {
  const { accountId, accountSlug, sessionId } = principal;
  const holder = await findPasswordHolder(database, accountId);
  const from = holder?.passwordHash;
  if (!holder || from == null) throw noPassword();
  checkPassword(newPassword, 'new_password', holder, currentPassword);
  await takePasswordTry(database, accountId);
  if (!(await passwords.matches(currentPassword, from))) throw wrongPassword();
  const to = await passwords.hash(newPassword);
  await database.transaction(async (tx) => {
    // Fails when somebody else changed the password since it was checked.
    if (!(await replacePassword(tx, { accountId, from, to }))) throw wrongPassword();
    await deleteSessions(tx, accountId, sessionId);
    await recordActivity(tx, {
      accountId,
      type: 'account.password_changed',
      actor: actorOf(principal),
      subject: { kind: 'account', id: accountId, label: accountSlug },
      message: 'The password was changed. All other sessions have ended.',
      requestId,
    });
  });
  await forgivePassword(database, accountId);
}

/**
 * Gives an account a password, whatever it had, and ends all its sessions; for the operator. Call it in a transaction.
 * Throws `invalid_request` for a weak one.
 */
export async function setPassword(
  tx: Sql,
  passwords: Passwords,
  { accountId, password }: { accountId: string; password: string },
): Promise<void> {
  const holder = await findPasswordHolder(tx, accountId);
  if (!holder) throw fault('not_found', { message: 'There is no such account.' });
  checkPassword(password, 'password', holder);
  await putPassword(tx, accountId, await passwords.hash(password));
  await deleteSessions(tx, accountId, null);
  await recordActivity(tx, {
    accountId,
    type: 'account.password_changed',
    actor: { kind: 'system', id: null, label: 'Operator' },
    subject: { kind: 'account', id: accountId, label: holder.slug },
    message: 'The operator set the password. All sessions have ended.',
  });
  await forgivePassword(tx, accountId);
}

function wrongPassword() {
  return fault('invalid_password', { param: 'current_password' });
}

function noPassword() {
  return fault('state_conflict', {
    message: 'This account has no password: its owner signs in with an identity provider.',
    details: { reason: 'external_identity' },
  });
}
