import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createCursorCodec, Fault, type FaultName, newId } from '#kernel';
import type { HostedModel } from './hosted-models.store.ts';
import { type AliasUpdate, activateHostedModel, changeHostedModel, createHostedModel } from './hosted-models.ts';
import { pageOfRevisions, rollBack } from './hosted-retarget.ts';
import { createHostedRoom, type HostedRoom, toldTo } from './hosted-room.fixture.ts';
import { type HostedScope, readHostedModel } from './hosted-scope.ts';
import type { TargetName } from './hosted-target.ts';

let room: HostedRoom;
before(async () => {
  room = await createHostedRoom();
  room.install('a');
  room.install('b', {}, { rateMicroPerMinute: 70_000n, priceVersion: 'of b' });
  room.install('broken', { fails: 'bad tensor' });
  room.install('embedder', { dimensions: 4 }, { kind: 'embedding', dimensions: 4 });
  room.install('absent', {}, { installed: null });
});
after(() => room.close());

const counter = { next: 0 };
const base = (id: string): TargetName => ({ type: 'base_model', id });
const nothing: AliasUpdate = { displayName: null, visibility: null, target: null };

async function alias({ activate = true }: { activate?: boolean } = {}) {
  const scope = await room.scope();
  const { id } = await createHostedModel(room, scope, {
    alias: `alias-${counter.next++}`,
    displayName: null,
    visibility: 'private',
    activate,
    target: base('a'),
  });
  await room.attempt(id);
  const read = () => readHostedModel(room.database, scope, id);
  const retarget = (target: TargetName, more: Partial<AliasUpdate> = {}) =>
    changeHostedModel(room, scope, { id, update: { ...nothing, ...more, target } });
  const revisions = async () => {
    const deps = { ...room, cursors: createCursorCodec(Buffer.alloc(32)) };
    return (await pageOfRevisions(deps, scope, { id, limit: 100, cursor: null })).rows;
  };
  return { id, scope, read, retarget, revisions };
}

const isRefusal =
  (name: FaultName, reason?: string) =>
  (error: unknown): true => {
    assert.ok(error instanceof Fault, String(error));
    assert.deepEqual([error.fault, error.options.details?.reason], [name, reason]);
    return true;
  };

const serving = ({ targetId, revision, state, rateMicroPerMinute, priceVersion }: HostedModel) =>
  [targetId, revision, state, rateMicroPerMinute, priceVersion] as const;

const typesOf = async ({ project }: HostedScope) => (await toldTo(room, project.accountId)).map(({ type }) => type);

test('a new target of an active model is a new revision at its own rate, loaded and checked, and stays active', async () => {
  const { scope, read, retarget, revisions } = await alias();
  const changed = await retarget(base('b'), { displayName: 'Bee' });
  assert.deepEqual(serving(changed), ['b', 2, 'active', 70_000n, 'of b']);
  assert.deepEqual([changed.displayName, changed.revisionSha256], ['Bee', 'sha of b']);
  assert.deepEqual(await read(), changed);
  assert.deepEqual(
    (await revisions()).map(({ revision, targetId, sha256, rateMicroPerMinute, restoredFrom }) => [
      ...[revision, targetId, sha256, rateMicroPerMinute, restoredFrom],
    ]),
    [
      [2, 'b', 'sha of b', 70_000n, null],
      [1, 'a', 'sha of a', 30_000n, null],
    ],
  );
  assert.deepEqual(await typesOf(scope), ['model.created', 'model.activated', 'model.target_changed']);
});

test('a target that cannot be loaded changes nothing of an active model, not even its name', async () => {
  const { scope, read, retarget, revisions } = await alias();
  const before = await read();
  await assert.rejects(retarget(base('broken'), { displayName: 'New' }), isRefusal('state_conflict', 'load_failed'));
  assert.deepEqual(await read(), before);
  assert.equal((await revisions()).length, 1);
  assert.deepEqual(await typesOf(scope), ['model.created', 'model.activated']);
});

test('targets that are not there, not installed or of another kind are refused', async () => {
  const { read, retarget } = await alias();
  const before = await read();
  await assert.rejects(retarget(base('never-was')), isRefusal('model_not_found'));
  await assert.rejects(retarget(base('absent')), isRefusal('state_conflict', 'not_installed'));
  await assert.rejects(retarget(base('embedder')), isRefusal('kind_mismatch'));
  await assert.rejects(retarget({ type: 'training_job', id: newId('job') }), isRefusal('model_not_found'));
  assert.deepEqual(await read(), before);
});

test('of two changes of the target at once one wins, and the other is told', async () => {
  const { id, scope, read, revisions } = await alias();
  const bothLooked = Promise.withResolvers<void>();
  let looked = 0;
  // Neither changes the model before both have looked: who looks later finds what it wished for, and has lost nothing.
  const lock: HostedScope['lock'] = async (tx) => {
    looked += 1;
    if (looked === 2) bothLooked.resolve();
    await bothLooked.promise;
    await scope.lock(tx);
  };
  const change = { ...nothing, target: base('b') };
  const results = await Promise.allSettled(
    [1, 2].map(() => changeHostedModel(room, { ...scope, lock }, { id, update: change })),
  );
  const [lost] = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
  assert.ok(isRefusal('state_conflict', 'changed_meanwhile')(lost));
  assert.deepEqual(serving(await read()).slice(0, 3), ['b', 2, 'active']);
  assert.equal((await revisions()).length, 2);
});

test('a model that is not served changes its target unchecked and stays off; one that warms keeps it', async () => {
  const off = await alias({ activate: false });
  assert.deepEqual(serving(await off.retarget(base('broken'))).slice(0, 3), ['broken', 2, 'inactive']);
  await activateHostedModel(room, off.scope, off.id);
  await assert.rejects(off.retarget(base('b')), isRefusal('state_conflict'));
  await room.attempt(off.id);
  assert.equal((await off.read()).state, 'failed');
  assert.deepEqual(serving(await off.retarget(base('b'))).slice(0, 3), ['b', 3, 'inactive']);
  assert.equal((await off.read()).error, null);
});

test('the target that it has already, or nothing at all, is no change', async () => {
  const { scope, id, read, retarget } = await alias();
  const before = await read();
  assert.deepEqual(await retarget(base('a')), before);
  assert.deepEqual(await changeHostedModel(room, scope, { id, update: nothing }), before);
  const same = { ...nothing, visibility: 'private', displayName: before.displayName } as const;
  assert.deepEqual(await changeHostedModel(room, scope, { id, update: same }), before);
  assert.deepEqual(await typesOf(scope), ['model.created', 'model.activated']);
});

test('a rollback serves the target of any earlier revision as a new one, and the numbers only count up', async () => {
  const { scope, id, retarget, revisions } = await alias();
  await retarget(base('b'));
  const back = await rollBack(room, scope, { id, revision: 1 });
  assert.deepEqual(serving(back), ['a', 3, 'active', 30_000n, 'first']);
  assert.equal((await revisions())[0]?.restoredFrom, 1);
  assert.deepEqual(await rollBack(room, scope, { id, revision: 1 }), back, 'it serves that target already');
  assert.deepEqual(serving(await rollBack(room, scope, { id, revision: 2 })).slice(0, 2), ['b', 4]);
  await assert.rejects(rollBack(room, scope, { id, revision: 5 }), isRefusal('invalid_request'));
  assert.deepEqual((await typesOf(scope)).slice(2), [
    ...['model.target_changed', 'model.rolled_back', 'model.rolled_back'],
  ]);
});

test('a training job that has succeeded is served with its adapter, by those who may use it', async () => {
  const mine = await alias();
  const job = (id: string, state: string) => ({
    ...({ jobId: id, kind: 'text', baseModelId: 'b', state, maxInputTokens: null, queryInstruction: null } as const),
    adapter: state === 'succeeded' ? { sha256: 'sha of adapter', path: '/adapter.gguf' } : null,
    accountId: mine.scope.project.accountId,
  });
  const [done, running] = [newId('job'), newId('job')];
  room.jobs.set(done, job(done, 'succeeded')).set(running, job(running, 'running'));
  const trained = (id: string): TargetName => ({ type: 'training_job', id });
  await assert.rejects(mine.retarget(trained(running)), isRefusal('state_conflict', 'target_not_ready'));
  const changed = await mine.retarget(trained(done));
  assert.deepEqual([changed.targetId, changed.baseModelId, changed.revisionSha256], [done, 'b', 'sha of adapter']);
  const others = await alias();
  await assert.rejects(others.retarget(trained(done)), isRefusal('model_not_found'));
});
