import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import OpenAI from 'openai';
import { type Person, startTraining, type TrainingServer } from '../../src/training/training.fixture.ts';
import { clicks, corpus, heldOut, ndcgAt10 } from './nicknames.ts';

let server: TrainingServer;
let ada: Person;

before(async () => {
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

test('feedback on a search becomes a better model behind the same alias, and the way back stays open', async () => {
  // What is served today.
  const target = { type: 'base_model', id: 'fanfold-tiny-embed' };
  const made = await ada.ok('POST', `${ada.project}/hosted-models`, { alias: 'house', target, activate: true });
  const alias = `${ada.project}/hosted-models/${made.id}`;
  const served = await quality('fanfold-tiny-embed');

  // What people did with what it found, and what of it is to be learned.
  const dataset = await ada.ok('POST', `${ada.project}/datasets`, { name: 'Clicks' });
  const events = `${ada.project}/datasets/${dataset.id}/retrieval-events`;
  const reported = await ada.ok('POST', `${events}/batch`, {
    events: clicks.map(({ query, positive, negatives }) => ({
      query,
      results: [...negatives, positive].map((text, index) => ({ rank: index + 1, text })),
      judgments: [
        { rank: negatives.length + 1, label: 'positive', signal: 'click' },
        ...negatives.map((_, index) => ({ rank: index + 1, label: 'negative', signal: 'thumb' })),
      ],
    })),
  });
  const ids = reported.results.map(({ id }: { id: string }) => id);
  await ada.ok('POST', `${events}/promote`, { ids, split: 'train' });
  const version = await ada.ok('POST', `${ada.project}/datasets/${dataset.id}/versions`, { label: 'January' });
  assert.equal(version.example_count, clicks.length);

  const { id } = await ada.ok('POST', `${ada.project}/training-jobs`, {
    ...{ base_model: 'fanfold-tiny-embed', dataset_id: dataset.id, dataset_version_id: version.id },
    hyperparameters: { epochs: 6, max_seq_length: 1024 },
    evaluation: { test_ratio: 0.1 },
  });
  const job = await ada.until(id, 'succeeded');
  assert.equal(job.result.max_input_tokens, 1024);

  // Nobody is switched to what is not better.
  const trained = await quality(job.model_ref);
  assert.ok(trained > served + 0.15, `nDCG@10 ${served} before, ${trained} after`);
  await ada.ok('PATCH', alias, { target: { type: 'training_job', id } });
  assert.deepEqual(await queriesBy('house'), await queriesBy(job.model_ref));
  const { limits, revision } = await ada.ok('GET', alias);
  assert.deepEqual([limits.max_input_tokens, limits.request_token_budget, revision], [1024, 1024, 2]);

  await ada.ok('POST', `${alias}/rollback`, { revision: 1 });
  assert.deepEqual(await queriesBy('house'), await queriesBy('fanfold-tiny-embed'));
});
