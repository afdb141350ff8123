import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import OpenAI from 'openai';
import { followGuide } from '#test/guide.ts';
import { pythonProgram } from '#test/python.ts';
import { type Person, startTraining, type TrainingServer } from '../../src/training/training.fixture.ts';
import { corpus, heldOut, ndcgAt10 } from './nicknames.ts';

let server: TrainingServer;
let ada: Person;

before(async () => {
  // The program would make it itself, on its first job: minutes that are not meant by the limit of the guide.
  await pythonProgram('python');
  server = await startTraining({ settings: { FANFOLD_TRAINING_THREADS: '1', FANFOLD_ENGINE_THREADS: '1' } });
  ada = await server.person({ kind: 'embedding' });
});
after(() => server.stop());

/** What callers get for texts. */
async function embed(model: string, texts: readonly string[], input_type: 'query' | 'document') {
  const baseURL = `${server.app.origin}/api/projects/${ada.slug}/search/openai/v1`;
  const client = new OpenAI({ apiKey: ada.key, baseURL });
  const vectors: Float32Array[] = [];
  for (let at = 0; at < texts.length; at += 2) {
    const asked = { model, input: texts.slice(at, at + 2), input_type, encoding_format: 'float' as const };
    const { data } = await client.embeddings.create(asked);
    vectors.push(...data.map(({ embedding }) => Float32Array.from(embedding)));
  }
  return vectors;
}

const queriesBy = (model: string) =>
  embed(
    model,
    heldOut.map(({ query }) => query),
    'query',
  );

/** How well a model finds what held-out queries want, as its callers see it. */
async function quality(model: string): Promise<number> {
  return ndcgAt10(await queriesBy(model), await embed(model, corpus, 'document'));
}

test('whoever follows the guide turns clicks into a better model behind the same alias, and the way back stays open', async () => {
  const served = await quality('fanfold-tiny-embed');
  const environment = { SERVER: server.app.origin, KEY: ada.key, OWNER: ada.slug };
  const followed = await followGuide('loop-search.md', { environment, timeoutMs: 300_000 });
  const { code, lines, errors, missing, shown } = followed;
  assert.equal(code, 0, `${errors}\n${lines.slice(-5).join('\n')}`);
  assert.ok(shown >= 4);
  assert.deepEqual(missing, [], lines.join('\n'));

  // Better for queries that were never learned from, whoever measures.
  const [compared] = lines.filter((line) => line.startsWith('nDCG@10: '));
  const [before, after] = (compared?.match(/\d\.\d+/g) ?? []).map(Number);
  assert.ok(after && before && after > before + 0.15, compared);
  const { data: jobs } = await ada.ok('GET', `${ada.project}/training-jobs`);
  const [{ id, model_ref: model }] = jobs;
  const trained = await quality(model);
  assert.ok(trained > served + 0.15, `nDCG@10 ${served} before, ${trained} after`);

  // The guide went back in the end.
  const base = await queriesBy('fanfold-tiny-embed');
  assert.deepEqual(await queriesBy('house'), base);
  const { data: aliases } = await ada.ok('GET', `${ada.project}/hosted-models`);
  const house = aliases.find(({ alias }: { alias: string }) => alias === 'house');
  const target = { type: 'training_job', id };
  const switched = await ada.ok('PATCH', `${ada.project}/hosted-models/${house.id}`, { target });
  assert.deepEqual(await queriesBy('house'), await queriesBy(model));
  const { max_input_tokens: longest, request_token_budget: budget } = switched.limits;
  assert.deepEqual([longest, budget, switched.revision], [1024, 1024, 4]);
  const { data: callable } = await ada.ok('GET', '/api/v1/models?source=hosted&q=house');
  assert.deepEqual(
    callable.map(({ max_input_tokens: most }: { max_input_tokens: number }) => most),
    [1024],
  );
});
