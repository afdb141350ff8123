import { fault } from '#kernel';

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
