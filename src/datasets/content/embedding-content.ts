import { charactersOf, isFields, isStorable } from '#kernel';
import type { EmbeddingContent, Passage } from './example-content.ts';
import type { IssueList } from './issues.ts';
import { pointerTo, readText } from './json-fields.ts';

const maxPassages = 64;
const maxDocumentId = 256;

/** Reads `{query, positives, negatives}`; `positive` and `negative` stand for lists of one. */
export function checkEmbeddingContent(raw: unknown, list: IssueList): EmbeddingContent | null {
  if (!isFields(raw)) {
    list.add('wrong_type', '', 'Expected an object with query, positives and negatives.');
    return null;
  }
  const query = readText(raw.query, '/query', list);
  const positives = readPassages(raw, 'positive', list);
  const negatives = readPassages(raw, 'negative', list);
  if (positives.length === 0)
    list.add('positive_missing', '/positives', 'There is no text that the query should find.');
  const positiveTexts = new Set(positives.map(({ text }) => text));
  for (const [index, { text }] of negatives.entries())
    if (positiveTexts.has(text))
      list.add('positive_equals_negative', pointerTo('/negatives', index), 'This text is a positive, too.');
  return query === null ? null : { negatives, positives, query };
}

function readPassages(raw: Record<string, unknown>, name: 'positive' | 'negative', list: IssueList): Passage[] {
  const plural = `${name}s`;
  const value = raw[plural] ?? raw[name] ?? [];
  const items = Array.isArray(value) ? value : [value];
  if (items.length > maxPassages) list.add('too_large', `/${plural}`, `Expected at most ${maxPassages} ${plural}.`);
  return items.slice(0, maxPassages).flatMap((item, index) => {
    const passage = readPassage(item, pointerTo(`/${plural}`, index), list);
    return passage ? [passage] : [];
  });
}

function readPassage(item: unknown, pointer: string, list: IssueList): Passage | null {
  const fields = isFields(item) ? item : { text: item };
  const text = readText(fields.text, isFields(item) ? `${pointer}/text` : pointer, list);
  const id = fields.document_id ?? null;
  if (id !== null && (typeof id !== 'string' || charactersOf(id) > maxDocumentId || !isStorable(id))) {
    list.add('wrong_type', `${pointer}/document_id`, `Expected a text of at most ${maxDocumentId} characters.`);
    return null;
  }
  return text === null ? null : { document_id: id, text };
}
