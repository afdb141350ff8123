import type { Database, Sql } from '#db';
import type { Principal } from '#http';
import { fault } from '#kernel';
import { findPasswordHolder, type PasswordHolder } from '../identity/identities.store.ts';
import type { Passwords } from '../identity/passwords.ts';
import { deleteSessions } from '../identity/sessions.store.ts';
import { forgivePassword, takePasswordTry } from '../identity/throttle.ts';
import {
  deleteIdentities,
  forgetInvitations,
  holdPassword,
  lockWithOperators,
  markAccountDeleted,
} from './deletion.store.ts';

/** What other rooms store of an account that must go at once. It can be done again. */
export type AccountParts = {
  /** Before the account is locked, and once more after: changes in projects lock these first. */
  closeProjects: (tx: Sql, accountId: string) => Promise<void>;
  /** Keys and shares. */
  deleteAccess: (tx: Sql, accountId: string) => Promise<void>;
};

export type DeletionDeps = { database: Database; passwords: Passwords; parts: AccountParts };

/** An account without a password is confirmed with its e-mail address or its slug. */
export type DeletionProof = { password: string | undefined; confirmation: string | undefined };

/**
 * Deletes the account of the caller: when this resolves, no key and no session of it is accepted, and its address is free. What
 * runs is ended, and what is stored removed, in the background. Throws `invalid_password`, `rate_limited`, `invalid_request`
 * without a proof, and `state_conflict` for the last operator.
 */
export async function deleteOwnAccount(
  { database, passwords, parts }: DeletionDeps,
  principal: Pick<Principal, 'accountId'>,
  proof: DeletionProof,
): Promise<void> {
  const { accountId } = principal;
  const holder = await findPasswordHolder(database, accountId);
  if (!holder) throw noSuchAccount();
  const passwordHash = await proveOwner({ database, passwords }, { accountId, holder, proof });
  await database.transaction(async (tx) => {
    // Fails when somebody else changed the password since it was checked.
    if (passwordHash !== null && !(await holdPassword(tx, accountId, passwordHash))) throw wrongPassword();
    await deleteAccount(tx, parts, accountId);
  });
  await forgivePassword(database, accountId);
}

/** Gives the hash of the password that was right; null for an account without one. */
async function proveOwner(
  { database, passwords }: Omit<DeletionDeps, 'parts'>,
  { accountId, holder, proof }: { accountId: string; holder: PasswordHolder; proof: DeletionProof },
): Promise<string | null> {
  const { passwordHash, email, slug } = holder;
  if (passwordHash === null) {
    const text = proof.confirmation?.trim();
    if (text === slug || (email !== null && text?.toLowerCase() === email)) return null;
    throw fault('invalid_request', {
      message: 'confirmation: expected the e-mail address or the URL name of the account.',
      param: 'confirmation',
    });
  }
  if (proof.password === undefined)
    throw fault('invalid_request', { message: 'password: expected the password of the account.', param: 'password' });
  await takePasswordTry(database, accountId);
  if (!(await passwords.matches(proof.password, passwordHash))) throw wrongPassword();
  return passwordHash;
}

/** Deletes an account that an operator has suspended. Throws `not_found`, and `state_conflict` for an active one. */
export async function deleteSuspendedAccount(tx: Sql, parts: AccountParts, accountId: string): Promise<void> {
  await parts.closeProjects(tx, accountId);
  const locked = await lockAccount(tx, accountId);
  if (!locked) throw noSuchAccount();
  if (!locked.own.isSuspended)
    throw fault('state_conflict', {
      message: 'Only a suspended account can be deleted by an operator. Suspend it first.',
      details: { reason: 'not_suspended' },
    });
  await closeLocked(tx, parts, accountId);
}

/** Throws `state_conflict` for the last operator who can sign in. */
async function deleteAccount(tx: Sql, parts: AccountParts, accountId: string): Promise<void> {
  await parts.closeProjects(tx, accountId);
  const locked = await lockAccount(tx, accountId);
  if (!locked) throw fault('invalid_credentials');
  if (locked.own.isOperator && !locked.others.some(({ canSignIn }) => canSignIn)) throw isLastOperator();
  await closeLocked(tx, parts, accountId);
}

async function closeLocked(tx: Sql, parts: AccountParts, accountId: string): Promise<void> {
  // A project that was being made meanwhile.
  await parts.closeProjects(tx, accountId);
  await markAccountDeleted(tx, accountId);
  await forgetPerson(tx, parts, accountId);
}

/** Everything with which somebody gets in, and every name of the person. It can be done again. */
export async function forgetPerson(tx: Sql, parts: AccountParts, accountId: string): Promise<void> {
  await deleteSessions(tx, accountId, null);
  await deleteIdentities(tx, accountId);
  await forgetInvitations(tx, accountId);
  await parts.deleteAccess(tx, accountId);
}

/** The account, and the active operators; null: it is deleted already. */
async function lockAccount(tx: Sql, accountId: string) {
  const locked = await lockWithOperators(tx, accountId);
  const own = locked.find(({ id }) => id === accountId);
  return own && !own.isDeleted ? { own, others: locked.filter((each) => each !== own) } : null;
}

function isLastOperator() {
  return fault('state_conflict', {
    message:
      'This is the last operator who can sign in. Make another account an operator first, on the page "People" or with "accounts grant-operator <slug>".',
    details: { reason: 'last_operator' },
  });
}

function noSuchAccount() {
  return fault('not_found', { message: 'There is no such account.' });
}

function wrongPassword() {
  return fault('invalid_password', { param: 'password', message: 'The password is wrong.' });
}
