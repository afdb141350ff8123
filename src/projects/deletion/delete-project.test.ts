import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  type ProjectAnswer,
  type ProjectsServer,
  shareModelOf,
  someoneOn,
  startProjectsServer,
  toldTo,
} from '../projects-server.fixture.ts';

let server: ProjectsServer;
const running = new Map<string, number>();

before(async () => {
  const countRunning = async (_: unknown, projectId: string) => running.get(projectId) ?? 0;
  server = await startProjectsServer({ work: [{ kind: 'training_jobs', countRunning }] });
});

after(() => server?.stop());

const codeOf = ({ status, json }: ProjectAnswer) => [status, json.error?.['code'] ?? null];

test('a deleted project is unknown to everybody at once, and another one may have its address', async () => {
  const [owner, friend] = [await someoneOn(server), await someoneOn(server)];
  const project = await owner.make({ name: 'Lamps', slug: 'lamps', visibility: 'public' });
  await shareModelOf(server, { projectId: project.id, accountId: friend.accountId });
  const at = `/${owner.slug}/lamps`;
  assert.equal((await friend.ask('GET')).json['total_count'], 1);
  assert.deepEqual(codeOf(await friend.ask('DELETE', at)), [403, 'owner_required']);
  assert.equal((await owner.ask('DELETE', at)).status, 204);
  for (const caller of [owner, friend]) {
    assert.deepEqual(codeOf(await caller.ask('GET', at)), [404, 'not_found']);
    assert.deepEqual(codeOf(await caller.ask('PATCH', at, { name: 'x' })), [404, 'not_found']);
    assert.deepEqual(codeOf(await caller.ask('DELETE', at)), [404, 'not_found']);
    assert.equal((await caller.ask('GET')).json['total_count'], 0);
  }
  const next = await owner.make({ name: 'Lamps again', slug: 'lamps' });
  assert.notEqual(next.id, project.id);
  assert.equal((await owner.ask('GET', at)).json['id'], next.id);
});

test('running work keeps a project from being deleted, and the answer says what it is and what helps', async () => {
  const owner = await someoneOn(server);
  const { id } = await owner.make({ name: 'busy' });
  const at = `/${owner.slug}/busy`;
  running.set(id, 1);
  const refused = await owner.ask('DELETE', at);
  assert.deepEqual(codeOf(refused), [409, 'in_use']);
  assert.match(String(refused.json.error?.['message']), /training jobs \(1\)\. Wait until it has ended, or cancel it/);
  assert.deepEqual(refused.json.error?.['details'], { running: [{ kind: 'training_jobs', count: 1 }] });
  assert.equal((await owner.ask('GET', at)).status, 200);
  running.delete(id);
  assert.equal((await owner.ask('DELETE', at)).status, 204);
});

test('an archived project can be deleted, and the feed tells of it once', async () => {
  const owner = await someoneOn(server);
  await owner.make({ name: 'old' });
  const at = `/${owner.slug}/old`;
  await owner.ask('PATCH', at, { archived: true });
  const answers = await Promise.all([owner.ask('DELETE', at), owner.ask('DELETE', at), owner.ask('DELETE', at)]);
  assert.deepEqual(answers.map(({ status }) => status).sort(), [204, 404, 404]);
  const told = await toldTo(server, owner.accountId);
  assert.deepEqual(
    told.map(({ type }) => type),
    ['project.created', 'project.archived', 'project.deleted'],
  );
});

test('a deleted project no longer counts towards the limit of projects', async () => {
  const owner = await someoneOn(server);
  await server.db.database.query('update accounts set max_projects = 1 where id = $1', [owner.accountId]);
  await owner.make({ name: 'first' });
  assert.equal((await owner.ask('POST', '', { name: 'second', kind: 'text' })).status, 409);
  await owner.ask('DELETE', `/${owner.slug}/first`);
  await owner.make({ name: 'second' });
});
