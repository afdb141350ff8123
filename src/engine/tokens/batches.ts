import type { Countable } from './counter-protocol.ts';

/** Items and characters of one message: it takes some milliseconds, so that callers take turns. */
const mostItems = 200;
const mostChars = 200_000;

export function batches(items: readonly Countable[]): Generator<Countable[]> {
  return batchesOf(items, charsOf);
}

export function textBatches(texts: readonly string[]): Generator<string[]> {
  return batchesOf(texts, ({ length }) => length);
}

function* batchesOf<Item>(items: readonly Item[], charsOf: (item: Item) => number): Generator<Item[]> {
  let batch: Item[] = [];
  let chars = 0;
  for (const item of items) {
    batch.push(item);
    chars += charsOf(item);
    if (batch.length < mostItems && chars < mostChars) continue;
    yield batch;
    batch = [];
    chars = 0;
  }
  if (batch.length > 0) yield batch;
}

function charsOf(item: Countable): number {
  const texts = item.type === 'inputs' ? item.texts : item.messages.map(({ content }) => content);
  return texts.reduce((sum, text) => sum + text.length, 0);
}
