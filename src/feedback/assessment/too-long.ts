import type { ExampleTokenCounter } from '#datasets';
import type { EventResult } from '../events/event.ts';

type EventTexts = { query: string; results: readonly EventResult[] };

export type TooLong = { query: boolean; ranks: ReadonlySet<number> };

/** Tokens that a model adds to a text by itself, at most. */
const frameTokens = 8;

/** One answer per event. Texts that are surely short enough are not counted. */
export async function findTooLong(
  { maxTokens, count }: ExampleTokenCounter,
  events: readonly EventTexts[],
): Promise<TooLong[]> {
  const uncounted = [
    ...new Set(events.flatMap(({ query, results }) => [query, ...results.map(({ text }) => text)])),
  ].filter((text) => !isSurelyShort(text, maxTokens));
  const counts =
    uncounted.length === 0 ? [] : await count(uncounted.map((query) => ({ negatives: [], positives: [], query })));
  const long = new Set(uncounted.filter((_, index) => (counts[index]?.longest ?? 0) > maxTokens));
  return events.map(({ query, results }) => ({
    query: long.has(query),
    ranks: new Set(results.filter(({ text }) => long.has(text)).map(({ rank }) => rank)),
  }));
}

/** A token of plain ASCII has at least one character; other text may grow when the model normalises it. */
function isSurelyShort(text: string, maxTokens: number): boolean {
  return text.length + frameTokens <= maxTokens && Buffer.byteLength(text) === text.length;
}
