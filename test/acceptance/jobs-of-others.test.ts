import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  type Person,
  scriptedTrainer,
  startTraining,
  type TrainingAnswer,
  type TrainingServer,
} from '../../src/training/training.fixture.ts';

/** Who may call a finished job by its id (interface 4.1): its owner, and everybody who can access its project. */
let trainer: Awaited<ReturnType<typeof scriptedTrainer>>;
let server: TrainingServer;
let ada: Person;
let bob: Person;
let carol: Person;
let model: string;

before(async () => {
  trainer = await scriptedTrainer();
  server = await startTraining({
    settings: { FANFOLD_TRAINING_PYTHON: trainer.program, FANFOLD_ENGINE_THREADS: '1' },
  });
  [ada, bob, carol] = [await server.person(), await server.person(), await server.person()];
  const examples = Array.from({ length: 12 }, (_, n) => ({
    text: {
      messages: [
        { role: 'user', content: `Say ${n}` },
        { role: 'assistant', content: `It is ${n}.` },
      ],
    },
  }));
  const { id } = await ada.ok('POST', `${ada.project}/training-jobs`, {
    base_model: 'fanfold-tiny-chat',
    dataset_id: await ada.dataset(examples),
    hyperparameters: { max_steps: 2 },
    deploy: { alias: 'tuned', activate: true },
  });
  await ada.until(id, 'succeeded');
  model = `training-job#${id}`;
});

after(async () => {
  await server?.stop();
  await trainer?.remove();
});

const call = (caller: Person, owner: Person, named = model): Promise<TrainingAnswer> =>
  caller.ask('POST', `/api/projects/${owner.slug}/chat/openai/v1/chat/completions`, {
    model: named,
    messages: [{ role: 'user', content: 'What is the capital of Orrin?' }],
    temperature: 0,
    max_tokens: 8,
    reasoning_effort: 'none',
  });

const outcomeOf = ({ status, json }: TrainingAnswer) => [status, json.error?.code ?? json.choices[0].message.content];
const change = (fields: object) => ada.ok('PATCH', ada.project, fields);
const unknown = [404, 'model_not_found'];

test('a finished job of a private project is its owner’s alone, also for an account that was given another model of it', async () => {
  const own = await call(ada, ada);
  assert.equal(own.status, 200);
  const { data } = await ada.ok('GET', `${ada.project}/hosted-models`);
  const { id } = data.find(({ alias }: { alias: string }) => alias === 'tuned');
  await ada.ok('PATCH', `${ada.project}/hosted-models/${id}`, { visibility: 'shared' });
  await ada.ok('POST', `${ada.project}/hosted-models/${id}/shares`, { account_slug: carol.slug });
  assert.deepEqual(outcomeOf(await call(carol, ada)), unknown);
  assert.deepEqual(outcomeOf(await call(carol, carol)), unknown);
  assert.deepEqual(outcomeOf(await call(bob, ada)), [404, 'project_not_found']);
  assert.deepEqual(outcomeOf(await call(bob, bob)), unknown);
});

test('a finished job of a public project is callable by every account, which pays for it, as long as it is public', async () => {
  await change({ visibility: 'public', inference_auto_save: true });
  const own = outcomeOf(await call(ada, ada));
  for (const owner of [ada, bob]) {
    const answer = await call(bob, owner);
    assert.deepEqual(outcomeOf(answer), own);
    const requestId = answer.headers.get('x-request-id');
    assert.deepEqual(
      await server.database.query(
        'select account_id, model_requested, micro < 0 as charged from ledger where request_id = $1',
        [requestId],
      ),
      [{ account_id: bob.accountId, model_requested: model, charged: true }],
    );
    assert.deepEqual(await server.database.query('select from saved_calls where request_id = $1', [requestId]), []);
  }
  assert.deepEqual(outcomeOf(await call(bob, ada, 'fanfold-tiny-chat')), [403, 'owner_required']);
  assert.deepEqual(outcomeOf(await call(bob, ada, 'tuned')), unknown);
  const job = `${ada.project}/training-jobs/${model.replace('training-job#', '')}`;
  assert.equal((await bob.ask('GET', job)).status, 404);
  await change({ visibility: 'private' });
  assert.deepEqual(outcomeOf(await call(bob, ada)), [404, 'project_not_found']);
  assert.deepEqual(outcomeOf(await call(bob, bob)), unknown);
  await change({ visibility: 'public', archived: true });
  assert.deepEqual(outcomeOf(await call(bob, bob)), unknown);
});
