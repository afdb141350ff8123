import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Person, startTraining, type TrainingServer } from '../training.fixture.ts';

let server: TrainingServer;
let ada: Person;
let bob: Person;

before(async () => {
  // Nobody works on jobs.
  server = await startTraining({ settings: { FANFOLD_ROLES: 'serve', FANFOLD_ENGINE_THREADS: '1' } });
  [ada, bob] = [await server.person({ kind: 'embedding' }), await server.person()];
});

after(() => server?.stop());

/** An alias that stands for a job which has succeeded, with this longest input. */
async function trainedAlias(alias: string, maxSeqLength: number): Promise<string> {
  const examples = Array.from({ length: 10 }, (_, n) => ({
    embedding: { query: `query ${n}`, positives: [{ text: `passage ${n}` }] },
    split: 'train',
  }));
  const { id: jobId } = await ada.ok('POST', `${ada.project}/training-jobs`, {
    base_model: 'fanfold-tiny-embed',
    dataset_id: await ada.dataset(examples),
    hyperparameters: { max_seq_length: maxSeqLength },
  });
  await server.database.query(
    `update training_jobs set state = 'succeeded', finished_at = now(), adapter_sha256 = $2, archive_sha256 = $2,
       archive_bytes = 1, result = '{}' where id = $1`,
    [jobId, 'b'.repeat(64)],
  );
  const target = { type: 'base_model', id: 'fanfold-tiny-embed' };
  const { id } = await ada.ok('POST', `${ada.project}/hosted-models`, {
    alias,
    target,
    visibility: 'shared',
    display_name: `Trained, ${alias}`,
  });
  await server.database.query(
    `update hosted_models set target_type = 'training_job', target_id = $2, state = 'active' where id = $1`,
    [id, jobId],
  );
  await ada.ok('POST', `${ada.project}/hosted-models/${id}/shares`, { account_slug: bob.slug });
  return id;
}

test('the list of all models tells of an alias how long the inputs are that its job was trained for, to guests as well', async () => {
  await trainedAlias('long', 2_048);
  await trainedAlias('short', 256);
  for (const viewer of [ada, bob]) {
    const { data } = await viewer.ok('GET', '/api/v1/models?source=hosted&q=trained');
    const sizes = data.map((row: { ref: string; max_input_tokens: number }) => [row.ref, row.max_input_tokens]);
    assert.deepEqual(Object.fromEntries(sizes), { long: 2_048, short: 512 });
  }
});
