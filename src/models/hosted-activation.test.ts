import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Fault, type FaultName, fault } from '#kernel';
import { until } from '#test/scripted-engine.ts';
import { beginAttempt } from './hosted-changes.store.ts';
import { activateHostedModel, changeHostedModel, createHostedModel, deactivateHostedModel } from './hosted-models.ts';
import { createHostedRoom, type HostedRoom, toldTo } from './hosted-room.fixture.ts';
import { type HostedScope, readHostedModel } from './hosted-scope.ts';

let room: HostedRoom;
before(async () => {
  room = await createHostedRoom();
});
after(() => room.close());

const counter = { next: 0 };
const fresh = (prefix: string) => `${prefix}-${counter.next++}`;

/** An alias of a base model that is installed just for it. */
async function alias(
  script: object = {},
  { activate = true, scope }: { activate?: boolean; scope?: HostedScope } = {},
) {
  const home = scope ?? (await room.scope());
  const base = room.install(fresh('base'), script);
  const wanted = { displayName: null, visibility: 'private', activate } as const;
  const target = { type: 'base_model', id: base.id } as const;
  const model = await createHostedModel(room, home, { ...wanted, alias: fresh('alias'), target });
  const read = () => readHostedModel(room.database, home, model.id);
  return { scope: home, base, model, read };
}

const typesOf = async ({ project }: HostedScope) => (await toldTo(room, project.accountId)).map(({ type }) => type);

const isRefusal = (name: FaultName) => (error: unknown) => {
  assert.ok(error instanceof Fault, String(error));
  assert.equal(error.fault, name);
  return true;
};

test('a model warms until its load check has passed, and the feed tells it as the deed of who asked', async () => {
  const { scope, model, base, read } = await alias();
  assert.deepEqual([model.state, model.revisionSha256], ['warming', null]);
  assert.ok(room.queue.includes(model.id));
  assert.equal(room.turns[room.queue.indexOf(model.id)], scope.project.accountId, 'accounts take turns');
  await room.attempt(model.id);
  const { state, revisionSha256, error } = await read();
  assert.deepEqual([state, revisionSha256, error], ['active', base.installed?.sha256, null]);
  const told = await toldTo(room, scope.project.accountId);
  assert.deepEqual(
    told.map(({ type, actor }) => [type, actor]),
    [
      ['model.created', 'acc_1'],
      ['model.activated', 'acc_1'],
    ],
  );
});

test('what the engine has loaded is active at once, without a check', async () => {
  const { scope, model, base } = await alias();
  await room.attempt(model.id);
  const wanted = { displayName: null, visibility: 'private', activate: true } as const;
  const queued = room.queue.length;
  const second = await createHostedModel(room, scope, {
    ...wanted,
    alias: fresh('alias'),
    target: { type: 'base_model', id: base.id },
  });
  assert.deepEqual([second.state, second.revisionSha256], ['active', base.installed?.sha256]);
  assert.equal(room.queue.length, queued);
});

test('a model that cannot be loaded fails with a reason that tells nothing of the machine, and can be tried again', async () => {
  const { scope, model, read } = await alias({ fails: '/secret/path: bad tensor' });
  await room.attempt(model.id);
  const failed = await read();
  assert.equal(failed.state, 'failed');
  assert.equal(failed.error?.code, 'load_failed');
  assert.doesNotMatch(JSON.stringify([failed.error, await toldTo(room, scope.project.accountId)]), /secret|tensor/);
  assert.deepEqual(await typesOf(scope), ['model.created', 'model.failed']);
  const again = await activateHostedModel(room, scope, model.id);
  assert.deepEqual([again.state, again.error], ['warming', null]);
});

test('ten activations at once are one', async () => {
  const { scope, model } = await alias({}, { activate: false });
  const models = await Promise.all(Array.from({ length: 10 }, () => activateHostedModel(room, scope, model.id)));
  assert.deepEqual(new Set(models.map(({ state }) => state)), new Set(['warming']));
  await Promise.all(Array.from({ length: 3 }, () => room.attempt(model.id)));
  assert.equal((await activateHostedModel(room, scope, model.id)).state, 'active');
  assert.deepEqual(await typesOf(scope), ['model.created', 'model.activated']);
});

test('the rate is frozen by activation, and again by the next one only', async () => {
  const { scope, model, base, read } = await alias({}, { activate: false });
  room.install(base.id, {}, { rateMicroPerMinute: 40_000n, priceVersion: 'second' });
  await activateHostedModel(room, scope, model.id);
  await room.attempt(model.id);
  const rate = async () => {
    const { rateMicroPerMinute, priceVersion } = await read();
    return [rateMicroPerMinute, priceVersion];
  };
  assert.deepEqual(await rate(), [40_000n, 'second']);
  room.install(base.id, {}, { rateMicroPerMinute: 50_000n, priceVersion: 'third' });
  await activateHostedModel(room, scope, model.id);
  assert.deepEqual(await rate(), [40_000n, 'second']);
  await deactivateHostedModel(room, scope, model.id);
  assert.deepEqual(await rate(), [40_000n, 'second']);
  await activateHostedModel(room, scope, model.id);
  assert.deepEqual(await rate(), [50_000n, 'third']);
});

test('deactivating while it warms ends the wish: the check that runs on changes nothing, not even a later wish', async () => {
  const { scope, model, read } = await alias({ loadMs: 300 });
  const attempt = room.attempt(model.id);
  await until(() => room.engine.status(model.baseModelId).status === 'loading');
  assert.equal((await deactivateHostedModel(room, scope, model.id)).state, 'inactive');
  // A later wish, for a target that was never loaded: the old check must not vouch for it.
  const other = room.install(fresh('base'), { fails: 'broken' });
  const target = { type: 'base_model', id: other.id } as const;
  await changeHostedModel(room, scope, { id: model.id, update: { displayName: null, visibility: null, target } });
  await activateHostedModel(room, scope, model.id);
  await attempt;
  assert.equal((await read()).state, 'warming');
  await room.attempt(model.id);
  assert.equal((await read()).state, 'failed');
  assert.deepEqual(await typesOf(scope), [
    'model.created',
    'model.deactivated',
    'model.target_changed',
    'model.failed',
  ]);
});

test('a model that took the server with it three times is given up, in words', async () => {
  const { scope, model, read } = await alias();
  for (let tries = 0; tries < 3; tries++) assert.ok(await beginAttempt(room.database, model.id));
  await room.attempt(model.id);
  const { state, error } = await read();
  assert.deepEqual([state, error?.code], ['failed', 'worker_lost']);
  assert.deepEqual(await typesOf(scope), ['model.created', 'model.failed']);
});

test('an attempt that stops with its process, in order, does not count, and another one goes on', async () => {
  const { model, read } = await alias({ loadMs: 400 });
  for (let stops = 0; stops < 4; stops++) {
    const stop = new AbortController();
    const attempt = room.attempt(model.id, { signal: stop.signal });
    await until(() => room.engine.status(model.baseModelId).status !== 'cold');
    stop.abort(new Error('The process stops.'));
    await assert.rejects(attempt);
    assert.equal((await read()).state, 'warming');
  }
  await room.attempt(model.id);
  assert.equal((await read()).state, 'active');
});

test('attempts that find the storage unavailable are no deaths of the server: the first after them decides', async () => {
  const { scope, model, read } = await alias();
  const away = { isAway: true };
  const { find } = room.targets.models;
  room.targets.models.find = (id) => {
    if (away.isAway) throw fault('service_unavailable');
    return find(id);
  };
  try {
    for (let tries = 0; tries < 5; tries++)
      await assert.rejects(room.attempt(model.id), isRefusal('service_unavailable'));
    assert.equal((await read()).state, 'warming');
    away.isAway = false;
    await room.attempt(model.id);
  } finally {
    room.targets.models.find = find;
  }
  assert.equal((await read()).state, 'active');
  assert.deepEqual(await typesOf(scope), ['model.created', 'model.activated']);
});

test('a check whose base model is gone meanwhile fails the model', async () => {
  const { model, base, read } = await alias();
  room.install(base.id, {}, { installed: null });
  await room.attempt(model.id);
  const { state, error } = await read();
  assert.deepEqual([state, error?.code], ['failed', 'not_installed']);
});

test('after a start every check that has not ended is asked for again, and no other', async () => {
  const [warming, inactive] = [await alias(), await alias({}, { activate: false })];
  room.queue.length = 0;
  await room.activations.resume();
  assert.ok(room.queue.includes(warming.model.id));
  assert.ok(!room.queue.includes(inactive.model.id));
});

test('an alias of a model that has become of another kind is refused, and stays as it is', async () => {
  const { scope, model, base, read } = await alias({}, { activate: false });
  room.install(base.id, {}, { kind: 'embedding' });
  await assert.rejects(activateHostedModel(room, scope, model.id), isRefusal('invalid_request'));
  room.install(base.id, {}, { installed: null });
  await assert.rejects(activateHostedModel(room, scope, model.id), isRefusal('state_conflict'));
  assert.equal((await read()).state, 'inactive');
});

test('embedding models are checked with a text of their own', async () => {
  const scope = await room.scope('embedding');
  const base = room.install(fresh('base'), { dimensions: 4 }, { kind: 'embedding', dimensions: 4, maxInputTokens: 64 });
  const model = await createHostedModel(room, scope, {
    alias: fresh('alias'),
    displayName: null,
    visibility: 'private',
    activate: true,
    target: { type: 'base_model', id: base.id },
  });
  await room.attempt(model.id);
  assert.equal((await readHostedModel(room.database, scope, model.id)).state, 'active');
});
