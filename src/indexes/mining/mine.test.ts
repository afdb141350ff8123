import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type IndexesServer, someoneOn, startIndexesServer } from '../indexes-server.fixture.ts';

let server: IndexesServer;

before(async () => {
  server = await startIndexesServer();
});
after(() => server.stop());

test('mining goes on where a page ends early because its examples are large', async () => {
  const me = await someoneOn(server);
  // Together more bytes than a page may have, but few texts to be embedded.
  const negatives = Array.from({ length: 60 }, (_, n) => `${n} ${'wrong '.repeat(300)}`);
  const { datasetId } = await me.versionWith([]);
  for (let n = 0; n < 45; n++)
    await me.add(datasetId, [{ query: `Which is ${n}?`, positives: [`This is ${n}.`], negatives }]);
  const versionId = await me.freeze(datasetId);
  const { id } = await me.build(versionId);
  const pages: number[] = [];
  let next: unknown = null;
  do {
    const asked = { limit: 100, ...(next === null ? {} : { after: next }) };
    const page = await me.ask('POST', `/dataset-indexes/${id}/mine`, asked);
    assert.equal(page.status, 200, JSON.stringify(page.json));
    pages.push((page.json.results as unknown[]).length);
    next = page.json.next_after;
  } while (next !== null && pages.length < 10);
  assert.equal(pages.length, 2);
  assert.equal((pages[0] ?? 0) + (pages[1] ?? 0), 45);
});

test('what any example of the version calls right for a query is mined as wrong for none', async () => {
  const me = await someoneOn(server);
  const query = 'How heavy is the Lisk lamp?';
  const named = { text: 'Weight of the Lisk lamp: 12 kg.', document_id: 'lisk' };
  const part = { text: 'The Lisk lamp comes in a box.', document_id: 'lisk' };
  const wrong = ['The Lisk lamp is blue.', 'The Lisk lamp costs 30 euros.'];
  const { versionId, exampleIds } = await me.versionWith([
    { query, positives: ['The Lisk lamp weighs 12 kilograms.'] },
    { query, positives: [named] },
    { query: query.toUpperCase(), positives: ['The Lisk lamp is heavy, 12 kg.'], split: 'test' },
    { query: 'What is the Lisk lamp packed in?', positives: [part], negatives: wrong },
  ]);
  const { id } = await me.build(versionId);
  // So that a right answer which scores less than that of the example is not left out for its score.
  const { json } = await me.ask('POST', `/dataset-indexes/${id}/mine`, { max_score_ratio: 1, max_negatives: 16 });
  const results = json.results as { example_id: string; negatives: { text: string }[] }[];
  assert.equal(results.length, 3);
  const mined = results
    .filter(({ example_id }) => exampleIds.slice(0, 2).includes(example_id))
    .flatMap(({ negatives }) => negatives.map(({ text }) => text));
  assert.deepEqual(new Set(mined), new Set(wrong));
});
