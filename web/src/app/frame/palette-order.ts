import { isSamePlace, type RecentProject } from '../../api/recent-projects.ts';

/** What can be gone to: a page, or something in a project. */
export type Found = { id: string; text: string; detail?: string | undefined; href: string };

type Place = Pick<RecentProject, 'owner' | 'slug'>;

/** Of each kind. */
export const mostFound = 5;

/** Whether each word of a query is in the name of a page or in that of its place, and one in the name of the page. */
export function isFoundBy(query: string, { text, detail = '' }: Pick<Found, 'text' | 'detail'>): boolean {
  const words = query.toLowerCase().split(/\s+/);
  const isIn = (name: string) => (word: string) => name.toLowerCase().includes(word);
  return words.every(isIn(`${text} ${detail}`)) && words.some(isIn(text));
}

/** Those of the current project first, each once, as it comes last. */
export function inOrder(found: readonly (Found & Place)[], current: Place | undefined): Found[] {
  const once = [...new Map(found.map((each) => [each.id, each])).values()];
  const rank = (each: Place) => (current && isSamePlace(each, current) ? 0 : 1);
  return once.toSorted((one, other) => rank(one) - rank(other)).slice(0, mostFound);
}
