import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Person, startTraining, type TrainingServer } from '../training.fixture.ts';

let server: TrainingServer;
let ada: Person;

before(async () => {
  // Nothing is trained: jobs are only asked about.
  server = await startTraining({ settings: { FANFOLD_ROLES: 'serve' } });
  ada = await server.person();
});
after(() => server?.stop());

const examples = Array.from({ length: 20 }, (_, n) => ({
  text: {
    messages: [
      { role: 'user', content: `Say ${n}` },
      { role: 'assistant', content: `It is ${n}.` },
    ],
  },
  split: 'train',
}));

const model = { base_model: 'fanfold-tiny-chat' };
const estimate = (more: object) =>
  ada.ask('POST', '/api/v1/pricing/estimate', { operation: 'training', ...model, ...more });

test('the price that anybody is told is the one that the dry run of such a job tells', async () => {
  const datasetId = await ada.dataset(examples);
  const { token_total: tokens } = await ada.ok('GET', `${ada.project}/datasets/${datasetId}`);
  assert.ok(tokens > 20, String(tokens));
  for (const hyperparameters of [{}, { epochs: 5 }, { batch_size: 2, gradient_accumulation: 3 }, { max_steps: 1 }]) {
    const body = { ...model, dataset_id: datasetId, hyperparameters, dry_run: true };
    const dry = (await ada.ok('POST', `${ada.project}/training-jobs`, body)).estimate;
    const { json } = await estimate({ examples: 20, tokens, hyperparameters });
    const about = JSON.stringify(hyperparameters);
    assert.deepEqual([json.active_ms, json.credits], [dry.active_ms, dry.credits], about);
  }
});

test('fewer steps are a lower price, and a hyperparameter that a job would not take is refused by name', async () => {
  const of = async (hyperparameters: object) => (await estimate({ examples: 10_000, hyperparameters })).json;
  assert.ok((await of({ max_steps: 10 })).active_ms.expected < (await of({})).active_ms.expected / 10);
  for (const [hyperparameters, status, param] of [
    [{ lora_rank: 'many' }, 422, 'hyperparameters.lora_rank'],
    [{ epochs: 0 }, 400, 'hyperparameters.epochs'],
    [{ speed: 1 }, 400, 'hyperparameters.speed'],
  ] as const) {
    const { status: got, json } = await estimate({ examples: 10, hyperparameters });
    assert.deepEqual([got, json.error.param], [status, param]);
  }
});
