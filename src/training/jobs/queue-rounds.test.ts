import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { claim } from '../supervise/lease.ts';
import { type Person, startTraining, type TrainingServer } from '../training.fixture.ts';

let server: TrainingServer;

before(async () => {
  // What workers do is done here.
  server = await startTraining({ settings: { FANFOLD_ROLES: 'serve' } });
});
after(() => server?.stop());

const examples = Array.from({ length: 10 }, (_, n) => ({
  text: {
    messages: [
      { role: 'user', content: `Say ${n}` },
      { role: 'assistant', content: `It is ${n}.` },
    ],
  },
  split: 'train',
}));

/** Somebody who asks for jobs by name. */
async function someone() {
  const person = await server.person();
  const datasetId = await person.dataset(examples);
  const jobs = `${person.project}/training-jobs`;
  const ids = new Map<string, string>();
  const ask = async (name: string) => {
    const { id } = await person.ok('POST', jobs, { base_model: 'fanfold-tiny-chat', dataset_id: datasetId, name });
    ids.set(name, id);
  };
  const read = (name: string): ReturnType<Person['ok']> => person.ok('GET', `${jobs}/${ids.get(name)}`);
  const act = (name: string, verb: string, body: object = {}) =>
    person.ok('POST', `${jobs}/${ids.get(name)}/${verb}`, body);
  return { ask, read, act };
}

const claimed = async () => (await claim(server.database, { holder: 'w', seconds: 3_600 }))?.job.name ?? null;
/** Ends what was claimed, so that it is neither at work nor in line. */
const end = (name: string) =>
  server.database.query(
    `update training_jobs set state = 'canceled', finished_at = now(), lease_holder = null, lease_until = null where name = $1`,
    [name],
  );

const roundsOf = async (...names: string[]) => {
  const rows = await server.database.query<{ round: number }>(
    'select queue_round as round from training_jobs where name = any($1) order by array_position($1, name)',
    [names],
  );
  return rows.map(({ round }) => round);
};

test('one job does not wait for all jobs of somebody else, and is told its true place in line', async () => {
  const [ada, ben, cyd] = [await someone(), await someone(), await someone()];
  await ada.ask('a1');
  assert.equal(await claimed(), 'a1');
  for (const name of ['a2', 'a3']) await ada.ask(name);
  await ben.ask('b1');
  await cyd.ask('c1');
  await ben.ask('b2');
  const places = async () => [
    ...(await Promise.all(['a2', 'a3'].map(async (name) => (await ada.read(name)).queue_position))),
    ...(await Promise.all(['b1', 'b2'].map(async (name) => (await ben.read(name)).queue_position))),
    (await cyd.read('c1')).queue_position,
  ];
  assert.deepEqual(await places(), [1, 4, 2, 5, 3]);
  const order: (string | null)[] = [];
  for (let name: string | null = 'a1'; name !== null; name = await claimed()) {
    order.push(name);
    await end(name);
  }
  assert.deepEqual(order, ['a1', 'a2', 'b1', 'c1', 'a3', 'b2']);
});

test('what is tried again waits in the queue like what is new', async () => {
  const [ada, ben] = [await someone(), await someone()];
  for (const name of ['a1', 'a2', 'a3']) await ada.ask(name);
  await ben.ask('b1');
  await ada.act('a1', 'cancel');
  await ada.act('a1', 'retry', { from: 'start' });
  const order: (string | null)[] = [];
  for (let name = await claimed(); name !== null; name = await claimed()) {
    order.push(name);
    await end(name);
  }
  assert.deepEqual(order, ['b1', 'a2', 'a3', 'a1']);
});

test('what is over counts for nobody: who has had many jobs stands in line like who has had none', async () => {
  const [ada, ben] = [await someone(), await someone()];
  for (const name of ['past1', 'past2', 'past3']) await ada.ask(name);
  for (let name = await claimed(); name !== null; name = await claimed()) await end(name);
  await ada.ask('now');
  await ben.ask('first');
  assert.deepEqual(await roundsOf('now', 'first'), [1, 1]);
  await end('now');
  await end('first');
});

test('who comes late waits for one round, after the latest that has begun', async () => {
  const [ada, ben, cyd] = [await someone(), await someone(), await someone()];
  for (const name of ['d1', 'd2', 'd3']) await ada.ask(name);
  await end('d1');
  await ben.ask('e1');
  assert.deepEqual(await roundsOf('e1'), [2], 'the round of what waits, as nothing runs');
  assert.deepEqual([await claimed(), await claimed(), await claimed()], ['d2', 'e1', 'd3']);
  await cyd.ask('f1');
  assert.deepEqual(await roundsOf('f1'), [4]);
  for (const name of ['d2', 'd3', 'e1', 'f1']) await end(name);
});
