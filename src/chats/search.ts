import { searchTerms, searchWords } from '#datasets';
import type { Sql } from '#db';
import { foldText } from '#kernel';
import type { MessageRow } from './messages.store.ts';
import { prefixCharacters, upsertWords } from './search.store.ts';

/** Lets searches find a message by its words. */
export async function indexMessage(sql: Sql, { id, content }: Pick<MessageRow, 'id' | 'content'>): Promise<void> {
  const messages = [{ role: 'user' as const, content: content ?? '' }];
  await upsertWords(sql, id, searchWords({ messages, tools: null }).trim());
}

/** What a text searches for: each of its words must occur in one message, the last one may be the beginning of a word. */
export function searchOf(projectId: string, q: string) {
  const terms = searchTerms(`${q}*`);
  const prefix = projectId.slice(-prefixCharacters);
  // Words are letters and digits: nothing in them has a meaning here.
  const words = terms.map(({ word, begins }) => `'${prefix}${word}'${begins ? ':*' : ''}`).join(' & ');
  return { title: foldText(q).toWellFormed(), words: words === '' ? null : words, terms };
}

const before = 40;
const longest = 160;

/** The part of a message around the first word that was searched for. */
export function excerptOf(text: string, terms: ReturnType<typeof searchTerms>): string {
  const line = text.replaceAll(/\s+/gu, ' ').trim();
  // Folding may change the length of a text: then the excerpt begins elsewhere.
  const folded = foldText(line);
  const places = terms.map(({ word }) => folded.indexOf(word)).filter((at) => at >= 0);
  const at = places.length === 0 ? 0 : Math.min(...places);
  const from = at <= before ? 0 : line.indexOf(' ', at - before) + 1;
  const start = from > at ? at - before : from;
  const part = line
    .slice(start, start + longest)
    .toWellFormed()
    .replaceAll('\uFFFD', '');
  return `${start > 0 ? '… ' : ''}${part}${start + longest < line.length ? ' …' : ''}`;
}
