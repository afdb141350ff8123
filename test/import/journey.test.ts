import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createImportWorld, type ImportWorld } from './import-world.ts';

let world: ImportWorld;
before(async () => {
  world = await createImportWorld();
});
after(() => world?.stop());

const chat = (question: string, answer: string) =>
  JSON.stringify({
    messages: [
      { role: 'user', content: question },
      { role: 'assistant', content: answer },
    ],
  });

test('a file goes from upload over preview and confirmation into a version of a new dataset', async () => {
  const { text } = world;
  const file = Buffer.from(
    Array.from({ length: 10 }, (_, n) => chat(`What is ${n} and ${n}?`, String(n + n))).join('\n'),
  );
  const ready = await text.upload('sums.jsonl', file);
  assert.equal(ready.state, 'ready', JSON.stringify(ready.error));
  assert.deepEqual(ready.counts, { rows: 10, valid: 10, invalid: 0, duplicates: 0, over_token_limit: 0 });
  const profile = await text.profile(ready.id);
  assert.equal(profile.detected_shape, 'chat');
  assert.ok(profile.token_stats.min > 5);
  const done = await text.confirm(ready.id);
  assert.equal(done.state, 'completed', JSON.stringify(done.error));
  assert.equal(done.result?.examples_added, 10);
  const { data } = await text.demand<{ data: unknown[] }>('GET', `datasets/${done.dataset_id}/examples`);
  assert.equal(data.length, 10);
});
