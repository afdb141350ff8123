import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import pLimit from 'p-limit';
import { fault } from '#kernel';

/** Hashes and checks passwords with scrypt; slow on purpose, so a few at a time. */
export type Passwords = {
  /** Runs a piece of work when there is capacity; refuses it with `service_unavailable` when too many wait. */
  gate: <Result>(work: () => Promise<Result>) => Promise<Result>;
  hash: (password: string) => Promise<string>;
  matches: (password: string, hash: string) => Promise<boolean>;
};

/**
 * A hash keeps a core busy for a tenth of a second: without a bound, many sign-ins at once would leave no processor time
 * for requests of those who are signed in.
 */
const limits = { running: 2, waiting: 64 };
const keyBytes = 64;
const cost = { N: 16_384, r: 16, p: 1, maxmem: 64 * 1024 * 1024 };
// as: the overload with options, which `promisify` does not choose.
const derive = promisify(scrypt) as (
  password: string,
  salt: string,
  length: number,
  options: typeof cost,
) => Promise<Buffer>;

export function createPasswords(): Passwords {
  const limit = pLimit(limits.running);
  const gate: Passwords['gate'] = async (work) => {
    if (limit.activeCount + limit.pendingCount >= limits.running + limits.waiting)
      throw fault('service_unavailable', { message: 'Too many people sign in at present.', retryAfterSeconds: 2 });
    return limit(work);
  };
  const keyOf = (password: string, salt: string) =>
    gate(() => derive(password.normalize('NFKC'), salt, keyBytes, cost));
  return {
    gate,
    async hash(password) {
      const salt = randomBytes(16).toString('hex');
      return `${salt}:${(await keyOf(password, salt)).toString('hex')}`;
    },
    async matches(password, hash) {
      const [salt = '', expected = ''] = hash.split(':');
      const [key, stored] = [await keyOf(password, salt), Buffer.from(expected, 'hex')];
      return key.length === stored.length && timingSafeEqual(key, stored);
    },
  };
}
