import { randomBytes } from 'node:crypto';
import { latinWords } from '#kernel';
import { isSlug } from './slug.ts';

const numbered = 4;
const maxBase = 40;

/**
 * Slugs for a new account, best first, made of the part of its address before the `@`: `ada`, `ada-2`, ... and at last
 * one that nobody has.
 */
export function slugsFor(email: string): string[] {
  const [name = ''] = email.split('@');
  const plain = latinWords(name)
    .slice(0, maxBase)
    .replace(/^-+|-+$/g, '');
  const base = plain || 'account';
  const counted = Array.from({ length: numbered }, (_, at) => `${base}-${at + 2}`);
  return [base, ...counted, `${base}-${randomBytes(6).toString('hex')}`].filter(isSlug);
}
