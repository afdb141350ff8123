import { type Actor, recordActivity } from '#activity';
import { constraintOf, type Sql } from '#db';
import { checkDisplayName, fault, newId } from '#kernel';
import {
  type Account,
  findAccountByAddress,
  findAccountBySlug,
  insertAccount,
  updateAccountEmail,
} from './accounts.store.ts';
import { checkSlug, slugsFor } from './slug.ts';

export type NewAccount = {
  /** Null: one that fits the address. */
  slug: string | null;
  displayName?: string;
  role?: Account['role'];
  email?: string | null;
  /**
   * True when somebody who can know it (the operator, an identity provider) says that the address is the person's
   * own.
   */
  emailVerified?: boolean;
  avatarUrl?: string | null;
};

/**
 * Makes an account without keys or credits. Throws `invalid_request` for a bad slug, name or address, `slug_taken`,
 * `email_taken`; after `email_taken` a transaction can only be rolled back.
 */
export async function createAccount(sql: Sql, input: NewAccount): Promise<Account> {
  const { displayName, role = 'user', emailVerified = false, avatarUrl = null } = input;
  const email = input.email == null ? null : checkEmail(input.email);
  const slugs = input.slug === null ? slugsFor(email ?? '') : [checkSlug(input.slug)];
  if (displayName !== undefined) checkDisplayName(displayName, 'display_name');
  for (const slug of slugs) {
    const rest = { email, emailVerified, displayName: displayName ?? slug, avatarUrl, role };
    const account = await refuseTakenEmail(insertAccount(sql, { id: newId('acc'), slug, ...rest }));
    if (account) return account;
  }
  throw fault('slug_taken', { param: 'slug' });
}

/** Gives an account another address. Throws `invalid_request`, `email_taken`. */
export async function changeEmail(sql: Sql, accountId: string, email: string): Promise<void> {
  await refuseTakenEmail(updateAccountEmail(sql, accountId, checkEmail(email)));
}

async function refuseTakenEmail<T>(write: Promise<T>): Promise<T> {
  try {
    return await write;
  } catch (error) {
    if (constraintOf(error) === 'accounts_email_key') throw fault('email_taken', { param: 'email', cause: error });
    throw error;
  }
}

export type AccountOpening = NewAccount & {
  actor?: Actor | undefined;
  requestId?: string | undefined;
  grantCredits?: (tx: Sql, accountId: string) => Promise<void>;
};

/** Makes an account with its starting credits and its first line in the feed: all in the given transaction. */
export async function openAccount(tx: Sql, opening: AccountOpening): Promise<Account> {
  const account = await createAccount(tx, opening);
  const { id, slug } = account;
  await opening.grantCredits?.(tx, id);
  await recordActivity(tx, {
    accountId: id,
    type: 'account.created',
    severity: 'success',
    actor: opening.actor ?? { kind: 'account', id, label: slug },
    subject: { kind: 'account', id, label: slug },
    message: `The account ${slug} was opened.`,
    requestId: opening.requestId,
  });
  return account;
}

const maxEmailLength = 254;
/** What mail servers take in practice, in ASCII: letters that merely look like these make no second address. */
const emailPattern = /^(?!\.)(?!.*\.\.)[A-Za-z0-9_'+\-.]*[A-Za-z0-9_+-]@(?:[A-Za-z0-9][A-Za-z0-9-]*\.)+[A-Za-z]{2,}$/;

/** The one spelling under which an address is stored and looked up; null when the text is no address. */
export function foldEmail(text: string): string | null {
  return text.length <= maxEmailLength && emailPattern.test(text) ? text.toLowerCase() : null;
}

/** The account of a slug, or of an e-mail address. */
export async function findAccount(sql: Sql, name: string): Promise<Account | null> {
  if (!name.includes('@')) return findAccountBySlug(sql, name);
  const email = foldEmail(name);
  return email === null ? null : findAccountByAddress(sql, email);
}

export function checkEmail(text: string): string {
  const email = foldEmail(text);
  if (email !== null) return email;
  throw fault('invalid_request', {
    message: 'email: expected an e-mail address such as ada@example.com.',
    param: 'email',
  });
}
