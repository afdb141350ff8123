import { createHash } from 'node:crypto';
import type { Sql } from '#db';
import { fault, networkOf } from '#kernel';
import { forgetTries, takeTry } from './sessions.store.ts';

const spanS = 15 * 60;

/** Something that may be tried `most` times in 15 minutes. */
type Limit = { subject: string; most: number };

export type SignInTry = { email: string; ip: string };

/**
 * Five tries for somebody at one address; a few more for the account, wherever they come from, so that a stranger does
 * not lock its owner out so easily; more for an address, behind which a whole office may be.
 */
const limitsOfSignIn = ({ email, ip }: SignInTry): Limit[] => [
  { subject: `sign-in ${email} ${networkOf(ip)}`, most: 5 },
  { subject: `sign-in ${email}`, most: 20 },
  { subject: `sign-in ${networkOf(ip)}`, most: 50 },
];

/** Counts a try to sign in before the password is looked at; throws `rate_limited`. */
export function takeSignInTry(sql: Sql, signIn: SignInTry): Promise<void> {
  return take(sql, limitsOfSignIn(signIn));
}

/**
 * After a right password: forgets the failed tries for the account, and takes this one back from the count of the
 * address.
 */
export async function forgiveSignIn(sql: Sql, signIn: SignInTry): Promise<void> {
  const [pair, account, network] = limitsOfSignIn(signIn).map(({ subject }) => digestOf(subject));
  await forgetTries(sql, {
    all: [pair, account].filter((each) => each !== undefined),
    latest: network ? [network] : [],
  });
}

/** Tells who has an address by trying to sign up with it, so it is counted too. */
export function takeSignUpTry(sql: Sql, ip: string): Promise<void> {
  return take(sql, [{ subject: `sign-up ${networkOf(ip)}`, most: 20 }]);
}

const limitOfChange = (accountId: string): Limit => ({ subject: `password ${accountId}`, most: 5 });

export function takePasswordTry(sql: Sql, accountId: string): Promise<void> {
  return take(sql, [limitOfChange(accountId)]);
}

export async function forgivePassword(sql: Sql, accountId: string): Promise<void> {
  await forgetTries(sql, { all: [digestOf(limitOfChange(accountId).subject)], latest: [] });
}

async function take(sql: Sql, limits: readonly Limit[]): Promise<void> {
  const waitS = await takeTry(sql, {
    subjects: limits.map(({ subject }) => digestOf(subject)),
    limits: limits.map(({ most }) => most),
    spanS,
  });
  if (waitS === 0) return;
  const seconds = String(Math.ceil(waitS));
  throw fault('rate_limited', {
    message: 'Too many tries. Wait for the time in Retry-After.',
    headers: {
      'retry-after': seconds,
      'ratelimit-limit': String(limits[0]?.most ?? 0),
      'ratelimit-remaining': '0',
      'ratelimit-reset': seconds,
    },
  });
}

/** Digests, so that the table holds no addresses of people. */
function digestOf(subject: string): Buffer {
  return createHash('sha256').update(subject).digest();
}
