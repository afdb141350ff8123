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
