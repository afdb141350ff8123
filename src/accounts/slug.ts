import { randomBytes } from 'node:crypto';
import { fault, latinWords } from '#kernel';

/** Slugs are parts of URLs: lower-case ASCII, so that two of them never look alike or fold together. */
const pattern = /^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/;

/** Words that stand where a slug stands in the paths of this service and its web pages. */
const reserved = new Set(['new', 'api', 'settings']);

/** Gives the slug back, or throws `invalid_request` for a bad or reserved one. */
export function checkSlug(slug: string): string {
  if (isSlug(slug)) return slug;
  throw fault('invalid_request', {
    message: reserved.has(slug)
      ? 'slug: this word is reserved.'
      : 'slug: expected 1 to 64 lower-case letters, digits and hyphens, not starting or ending with a hyphen.',
    param: 'slug',
  });
}

/** True when the text can be a slug, and is no reserved word. */
export function isSlug(text: string): boolean {
  return pattern.test(text) && !reserved.has(text);
}

/**
 * Slugs for a new account, best first, made of the part of its address before the `@`: `ada`, `ada-2`, ... and at last
 * one that nobody has.
 */
export function slugsFor(email: string): string[] {
  const [name = ''] = email.split('@');
  const base = slugText(name, 40) || 'account';
  const counted = Array.from({ length: 4 }, (_, at) => `${base}-${at + 2}`);
  return [base, ...counted, `${base}-${randomBytes(6).toString('hex')}`].filter(isSlug);
}

/** The Latin letters and digits of a name, as a slug spells them; empty for a name without any. */
export function slugText(name: string, maxLength: number): string {
  const trimHyphens = (text: string) => text.replace(/^-+|-+$/g, '');
  return trimHyphens(trimHyphens(latinWords(name)).slice(0, maxLength));
}
