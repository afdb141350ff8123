import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
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

test('the words of what was imported are indexed in the turn of its account', async () => {
  const { text, db, accountId } = world;
  const { id } = await text.upload('one.jsonl', Buffer.from(chat('One?', 'Two.')));
  const { dataset_id } = await text.confirm(id);
  const turns = () =>
    db.database.query<{ of: string }>(
      `select group_id as of from fanfold_jobs.job where name = 'datasets.index_examples' and data->>'datasetId' = $1`,
      [dataset_id],
    );
  for (const deadline = performance.now() + 60_000; (await turns()).length === 0; await sleep(20))
    assert.ok(performance.now() < deadline, 'nothing was asked for');
  assert.deepEqual(await turns(), [{ of: accountId }]);
});
