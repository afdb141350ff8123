import { isSlug } from '#accounts';
import { latinWords } from '#kernel';

const maxLength = 64;

/**
 * A slug for a project that has only a name: the name's letters and digits as far as they are Latin, `my-lamps` for
 * "My lamps!". A name without any, or one that is a reserved word, gets the random characters of `suffix`.
 */
export function slugFromName(name: string, suffix: () => string): string {
  const slug = trimHyphens(trimHyphens(latinWords(name)).slice(0, maxLength));
  return isSlug(slug) ? slug : `${slug || 'project'}-${suffix()}`;
}

function trimHyphens(text: string): string {
  return text.replace(/^-+|-+$/g, '');
}
