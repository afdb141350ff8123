import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { insertHostedModel, type TrainedModel } from '#models';
import { errorOf } from '#test/error-of.ts';
import { writeRandomAdapter } from '#test/lora-adapter.ts';
import { qwen600m } from '#test/random-model.ts';
import { type IndexesServer, shop, someoneOn, startIndexesServer } from './indexes-server.fixture.ts';

let server: IndexesServer;
const trained = new Map<string, TrainedModel>();

before(async () => {
  server = await startIndexesServer({ trained });
});
after(() => server.stop());

const dot = (one: Float32Array, other: Float32Array) =>
  one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);

/** What the base model makes of a text. */
async function embed(text: string): Promise<Float32Array> {
  const signal = new AbortController().signal;
  const target = { baseModelId: 'fanfold-tiny-embed', adapter: null };
  const inputs = { target, texts: [text], maxInputTokens: 512, truncate: true };
  const { handle } = await server.engine.prepareEmbedding(inputs, signal);
  const [vector] = (await server.engine.embed({ handle, signal })).vectors;
  assert.ok(vector);
  return vector;
}

test('an index keeps the model of its alias when that is pointed elsewhere, at its frozen rate, and is stale', async () => {
  const me = await someoneOn(server);
  const { versionId } = await me.versionWith(shop(2));
  const { database } = server.db;
  const baseModel = server.options.models.find('fanfold-tiny-embed');
  assert.ok(baseModel);
  const dear = { ...baseModel, rateMicroPerMinute: 60_000n, priceVersion: 'frozen' };
  await insertHostedModel(database, { projectId: me.projectId, alias: 'search', baseModel: dear, active: true });
  const index = await me.build(versionId, 'search');
  assert.deepEqual(
    [index.state, index.model, index.base_model, index.model_revision],
    [...['ready', 'search', 'fanfold-tiny-embed', 1]],
  );
  assert.deepEqual(index.rate, { credits_per_gpu_minute: '0.060000', price_version: 'frozen' });
  await database.query('update hosted_models set revision = 2, rate_micro_per_minute = 1 where project_id = $1', [
    me.projectId,
  ]);
  assert.equal((await me.ask('GET', `/dataset-indexes/${index.id}`)).json.state, 'stale');
  const { json } = await me.ask('POST', `/dataset-indexes/${index.id}/search`, { query: 'lamp' });
  assert.equal(json.model_revision, 1);
  const [row] = await database.query<{ rate: bigint; requested: string }>(
    `select rate_micro_per_minute as rate, model_requested as requested from ledger
      where account_id = $1 and type = 'inference'`,
    [me.accountId],
  );
  assert.deepEqual(row, { rate: 60_000n, requested: 'search' });
});

test('an index is built with the adapter of a training job, and asks with it as long as it is there', async () => {
  const path = join(server.options.folder, 'adapter.gguf');
  const shape = { ...qwen600m, layers: 4, width: 128, heads: 2, cacheHeads: 1, headWidth: 64, feedForward: 384 };
  writeRandomAdapter(path, { shape, rank: 4, alpha: 8, seed: 3, spreadOfB: 0.3 });
  const adapter = { sha256: 'ab'.repeat(32), path };
  const job = { jobId: 'job_1', kind: 'embedding', baseModelId: 'fanfold-tiny-embed', state: 'succeeded' } as const;
  trained.set('job_1', { ...job, adapter, maxInputTokens: 256, queryInstruction: 'Find it' });
  const me = await someoneOn(server);
  const { versionId } = await me.versionWith([{ query: 'lamp', positives: ['A lamp gives light.'] }]);
  const { id, state, model } = await me.build(versionId, 'training-job#job_1');
  assert.deepEqual([state, model], ['ready', 'training-job#job_1']);
  const [stored] = await server.db.database.query<{ vectors: Buffer }>(
    'select vectors from index_vectors where index_id = $1',
    [id],
  );
  assert.ok(stored);
  const base = await embed('A lamp gives light.');
  const vector = new Float32Array(new Uint8Array(stored.vectors).buffer);
  assert.ok(dot(vector, vector) > 0.999 && dot(vector, base) < 0.99);
  const search = () => me.ask('POST', `/dataset-indexes/${id}/search`, { query: 'lamp' });
  assert.equal((await search()).status, 200);
  trained.clear();
  const gone = await search();
  assert.deepEqual(
    [errorOf(gone), (gone.json.error as { details: object }).details],
    [[409, 'state_conflict', null], { reason: 'model_changed' }],
  );
});

test('what cannot be built is refused with the field and the reason', async () => {
  const me = await someoneOn(server);
  const { versionId } = await me.versionWith(shop(1));
  const create = (body: object) => me.ask('POST', '/dataset-indexes', body);
  const model = 'fanfold-tiny-embed';
  for (const [body, expected] of [
    [{ model }, [422, 'invalid_request', 'version_id']],
    [{ version_id: versionId, model: 7 }, [422, 'invalid_request', 'model']],
    [{ version_id: 'dsv_00000000000000000000000000', model }, [404, 'not_found', 'version_id']],
    [{ version_id: 'dsv_%01', model }, [404, 'not_found', 'version_id']],
    [{ version_id: versionId, model: 'nobody' }, [404, 'model_not_found', 'model']],
    [{ version_id: versionId, model: 'fanfold-tiny-chat' }, [409, 'kind_mismatch', 'model']],
  ] as const)
    assert.deepEqual(errorOf(await create(body)), expected, JSON.stringify(body));
  const empty = await me.versionWith([]);
  assert.deepEqual(errorOf(await create({ version_id: empty.versionId, model })), [409, 'state_conflict', null]);
  const writer = await someoneOn(server, { kind: 'text' });
  assert.deepEqual(errorOf(await writer.ask('POST', '/dataset-indexes', { version_id: versionId, model })), [
    ...[409, 'kind_mismatch', null],
  ]);
  const poor = await someoneOn(server, { micro: 1n });
  const theirs = await poor.versionWith(shop(1));
  assert.equal((await poor.ask('POST', '/dataset-indexes', { version_id: theirs.versionId, model })).status, 402);
  const { id } = await me.build(versionId);
  const search = (body: object) => me.ask('POST', `/dataset-indexes/${id}/search`, body);
  for (const [body, expected] of [
    [{}, [422, 'invalid_request', 'query']],
    [{ query: ' ' }, [400, 'invalid_request', 'query']],
    [{ query: 'x', top_k: 51 }, [400, 'invalid_request', 'top_k']],
    [{ query: 'word '.repeat(2_000) }, [400, 'invalid_request', 'query']],
  ] as const)
    assert.deepEqual(errorOf(await search(body)), expected);
  // All at the same time.
  const made = await Promise.all(Array.from({ length: 12 }, () => create({ version_id: versionId, model })));
  const tooMany = made.filter(({ status }) => status !== 201);
  assert.equal(tooMany.length, 7);
  for (const refused of tooMany)
    assert.deepEqual(
      [errorOf(refused), (refused.json.error as { details: object }).details],
      [[409, 'state_conflict', null], { reason: 'max_indexes', limit: 6, actual: 6 }],
    );
  assert.deepEqual(errorOf(await me.ask('POST', `/dataset-indexes/${id}/cancel`)), [409, 'state_conflict', null]);
});
