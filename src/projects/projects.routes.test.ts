import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  type ProjectAnswer,
  type ProjectsServer,
  shareModelOf,
  someoneOn,
  startProjectsServer,
  toldTo,
} from './projects-server.fixture.ts';

let server: ProjectsServer;
const work = { running: new Map<string, number>() };

before(async () => {
  const countRunning = async (_: unknown, projectId: string) => work.running.get(projectId) ?? 0;
  server = await startProjectsServer({ work: [{ kind: 'training_jobs', countRunning }] });
});

after(() => server?.stop());

const codeOf = ({ status, json }: ProjectAnswer) => [status, json.error?.code, json.error?.param];

test('a project is made with what was said, and defaults for the rest', async () => {
  const owner = await someoneOn(server);
  const { status, json } = await owner.ask('POST', '', { name: 'Küche & Lampen 💡', kind: 'text' });
  assert.equal(status, 201);
  const { id, created_at, updated_at, ...rest } = json;
  assert.match(String(id), /^prj_[0-9A-Z]{26}$/);
  assert.match(String(created_at), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.equal(updated_at, created_at);
  assert.deepEqual(rest, {
    owner: { id: owner.accountId, slug: owner.slug },
    slug: 'kuche-lampen',
    name: 'Küche & Lampen 💡',
    description: null,
    kind: 'text',
    visibility: 'private',
    inference_auto_save: false,
    caller_role: 'owner',
    inference_base_url: `${server.origin}/api/projects/${owner.slug}/kuche-lampen/openai/v1`,
    counts: { datasets: 0, training_jobs: 0, hosted_models: 0, pending_retrieval_events: 0 },
    archived_at: null,
  });
  const said = { slug: 's', visibility: 'public', inference_auto_save: true, description: 'two\nlines' };
  const other = await owner.make({ name: 'x', ...said });
  assert.deepEqual({ ...other, ...said }, other);
  assert.deepEqual((await owner.ask('GET', `/${owner.slug}/s`)).json, other);
});

test('a name without Latin letters, or of a reserved word, still gets a slug', async () => {
  const owner = await someoneOn(server);
  assert.match((await owner.make({ name: '客服' })).slug, /^project-[0-9a-f]{6}$/);
  assert.match((await owner.make({ name: 'Settings' })).slug, /^settings-[0-9a-f]{6}$/);
  assert.equal((await owner.make({ name: `${'long '.repeat(15)}nam` })).slug.length, 64);
});

test('what a project cannot be is refused by field: 400 for a value, 422 for a type, 409 for a conflict', async () => {
  const owner = await someoneOn(server);
  await owner.make({ name: 'taken' });
  const good = { name: 'n', slug: 'n', kind: 'text' };
  const cases: [object, unknown[]][] = [
    [{ name: '' }, [400, 'invalid_request', 'name']],
    [{ name: 'x'.repeat(81) }, [400, 'invalid_request', 'name']],
    [{ name: 'a\nb' }, [400, 'invalid_request', 'name']],
    [{ name: 'a\ud800' }, [400, 'invalid_request', 'name']],
    [{ name: 5 }, [422, 'invalid_request', 'name']],
    [{ name: undefined }, [422, 'invalid_request', 'name']],
    [{ kind: 'image' }, [400, 'invalid_request', 'kind']],
    [{ kind: null }, [422, 'invalid_request', 'kind']],
    [{ kind: undefined }, [422, 'invalid_request', 'kind']],
    ...['A', 'ü', '-a', 'a-', 'a_b', 'a/b', '../x', '', 'x'.repeat(65), 'new', 'api', 'settings'].map(
      (slug): [object, unknown[]] => [{ slug }, [400, 'invalid_request', 'slug']],
    ),
    [{ slug: 1 }, [422, 'invalid_request', 'slug']],
    [{ description: 'x'.repeat(501) }, [400, 'invalid_request', 'description']],
    [{ description: 'a\u0000' }, [400, 'invalid_request', 'description']],
    [{ visibility: 'shared' }, [400, 'invalid_request', 'visibility']],
    [{ inference_auto_save: 'yes' }, [422, 'invalid_request', 'inference_auto_save']],
    [{ kind: 'embedding', inference_auto_save: true }, [409, 'kind_mismatch', 'inference_auto_save']],
    [{ slug: 'taken' }, [409, 'slug_taken', 'slug']],
    [{ name: 'Taken', slug: undefined }, [409, 'slug_taken', 'slug']],
  ];
  for (const [change, expected] of cases)
    assert.deepEqual(codeOf(await owner.ask('POST', '', { ...good, ...change })), expected, JSON.stringify(change));
  assert.equal((await owner.make({ name: '鍵'.repeat(80), slug: 'k', description: '💡'.repeat(500) })).slug, 'k');
  assert.equal((await toldTo(server, owner.accountId)).length, 2);
});

test("fields that are not the caller's to set change nothing", async () => {
  const [owner, other] = [await someoneOn(server), await someoneOn(server)];
  const extra = {
    id: 'prj_00000000000000000000000000',
    owner: { id: other.accountId, slug: other.slug },
    account_id: other.accountId,
    caller_role: 'public',
    counts: { datasets: 9 },
    created_at: '2000-01-01T00:00:00.000Z',
    archived_at: '2000-01-01T00:00:00.000Z',
    constructor: { prototype: { admin: true } },
  };
  const made = await owner.make({ name: 'mine', ...extra });
  assert.deepEqual([made.owner.id, made.archived_at, made.counts?.datasets], [owner.accountId, null, 0]);
  const { json } = await owner.ask('PATCH', `/${owner.slug}/mine`, { name: 'still mine', ...extra });
  assert.deepEqual({ ...json, updated_at: made.updated_at }, { ...made, name: 'still mine' });
  assert.equal((await other.ask('GET')).json.total_count, 0);
});

test('a change changes the fields that it names, and is told once with who did it in which request', async () => {
  const owner = await someoneOn(server);
  const made = await owner.make({ name: 'before', description: 'd' });
  const at = `/${owner.slug}/${made.slug}`;
  const { status, json } = await owner.ask('PATCH', at, { name: 'after', visibility: 'public', description: null });
  assert.equal(status, 200);
  assert.deepEqual(
    { ...json, updated_at: made.updated_at },
    { ...made, name: 'after', visibility: 'public', description: null },
  );
  assert.ok(String(json.updated_at) > made.updated_at);
  const [, told] = await toldTo(server, owner.accountId);
  assert.deepEqual([told?.type, told?.actor], ['project.updated', owner.keyId]);
  assert.match(told?.request ?? '', /^req_/);
  assert.deepEqual(told?.data, {
    changed: ['name', 'description', 'visibility'],
    values: { name: { from: 'before', to: 'after' }, visibility: { from: 'private', to: 'public' } },
  });
});

test('what already is as asked for stays, down to its time, and is not told again', async () => {
  const owner = await someoneOn(server);
  const made = await owner.make({ name: 'same', inference_auto_save: true });
  const at = `/${owner.slug}/same`;
  const repeats = [
    {},
    { name: 'same', inference_auto_save: true, visibility: 'private', description: null, archived: false },
    { kind: 'text', slug: 'same', unknown: 1 },
  ];
  for (const body of repeats) assert.deepEqual(await owner.ask('PATCH', at, body), { status: 200, json: made });
  const archived = (await owner.ask('PATCH', at, { archived: true })).json;
  for (const body of [{ archived: true }, { name: 'same' }, {}])
    assert.deepEqual(await owner.ask('PATCH', at, body), { status: 200, json: archived });
  const types = (await toldTo(server, owner.accountId)).map(({ type }) => type);
  assert.deepEqual(types, ['project.created', 'project.archived']);
});

test('kind and slug are fixed, and an embedding project keeps no calls', async () => {
  const owner = await someoneOn(server);
  const made = await owner.make({ name: 'e', kind: 'embedding' });
  const cases: [object, unknown[]][] = [
    [{ kind: 'text' }, [400, 'invalid_request', 'kind']],
    [{ kind: 'nonsense' }, [400, 'invalid_request', 'kind']],
    [{ slug: 'f' }, [400, 'invalid_request', 'slug']],
    [{ inference_auto_save: true }, [409, 'kind_mismatch', 'inference_auto_save']],
    [{ name: null }, [422, 'invalid_request', 'name']],
    [{ name: ' ' }, [400, 'invalid_request', 'name']],
    [{ archived: 'yes' }, [422, 'invalid_request', 'archived']],
    [{ name: 'other', kind: 'text' }, [400, 'invalid_request', 'kind']],
  ];
  for (const [body, expected] of cases)
    assert.deepEqual(codeOf(await owner.ask('PATCH', `/${owner.slug}/e`, body)), expected, JSON.stringify(body));
  assert.deepEqual((await owner.ask('GET', `/${owner.slug}/e`)).json, made);
});

test('an archived project can be read and taken out again, and nothing else', async () => {
  const owner = await someoneOn(server);
  const made = await owner.make({ name: 'old' });
  const at = `/${owner.slug}/old`;
  const archived = await owner.ask('PATCH', at, { archived: true, description: 'last words' });
  assert.equal(archived.status, 200);
  assert.equal(typeof archived.json.archived_at, 'string');
  assert.deepEqual((await owner.ask('GET', at)).json, archived.json);
  assert.deepEqual(codeOf(await owner.ask('PATCH', at, { name: 'new name' })), [409, 'state_conflict', null]);
  assert.deepEqual(codeOf(await owner.ask('POST', '', { name: 'old', kind: 'text' })), [409, 'slug_taken', 'slug']);
  const back = await owner.ask('PATCH', at, { archived: false, name: 'new name' });
  assert.deepEqual([back.status, back.json.archived_at, back.json.name], [200, null, 'new name']);
  assert.deepEqual(back.json.created_at, made.created_at);
  const types = (await toldTo(server, owner.accountId)).map(({ type }) => type);
  // Rows of one change are of one instant.
  assert.deepEqual(types.sort(), [
    'project.archived',
    'project.created',
    'project.unarchived',
    'project.updated',
    'project.updated',
  ]);
});

test('running work keeps a project out of the archive, and says what it is', async () => {
  const owner = await someoneOn(server);
  const { id } = await owner.make({ name: 'busy' });
  const at = `/${owner.slug}/busy`;
  work.running.set(id, 2);
  const refused = await owner.ask('PATCH', at, { archived: true, name: 'not this either' });
  assert.deepEqual(codeOf(refused), [409, 'in_use', null]);
  assert.equal(
    refused.json.error?.message,
    'The project has running work: training jobs (2). Wait until it has ended, or cancel it.',
  );
  assert.deepEqual(refused.json.error?.details, { running: [{ kind: 'training_jobs', count: 2 }] });
  assert.equal((await owner.ask('PATCH', at, { name: 'may change' })).status, 200);
  work.running.delete(id);
  assert.equal((await owner.ask('PATCH', at, { archived: true })).json.name, 'may change');
});

test('a project whose name is older than the rules for names can be changed and archived', async () => {
  const owner = await someoneOn(server);
  await owner.make({ name: 'old', slug: 'old' });
  await server.db.database.query("update projects set name = U&'\\200B' where account_id = $1", [owner.accountId]);
  const at = `/${owner.slug}/old`;
  const name = '\u200b';
  assert.equal((await owner.ask('PATCH', at, { name, description: 'Still used' })).status, 200);
  assert.equal((await owner.ask('PATCH', at, { archived: true })).json.name, name);
  assert.deepEqual(codeOf(await owner.ask('PATCH', at, { archived: false, name: '\u2060' })), [
    400,
    'invalid_request',
    'name',
  ]);
});

test('a private project is for others one that does not exist, a public one they may read and not change', async () => {
  const [owner, other] = [await someoneOn(server), await someoneOn(server)];
  await owner.make({ name: 'mine', description: 'secret' });
  const open = await owner.make({ name: 'open', description: 'for all', visibility: 'public' });
  const bare = ({ status, json: { error } }: ProjectAnswer) => [status, { ...error, request_id: '' }];
  for (const [method, body] of [
    ['GET', undefined],
    ['PATCH', { name: 'x' }],
    ['PATCH', { archived: true }],
  ] as const) {
    const hidden = bare(await other.ask(method, `/${owner.slug}/mine`, body));
    assert.equal(hidden[0], 404);
    assert.deepEqual(hidden, bare(await other.ask(method, `/${owner.slug}/nothing`, body)));
    assert.deepEqual(hidden, bare(await other.ask(method, `/nobody/mine`, body)));
  }
  const seen = await other.ask('GET', `/${owner.slug}/open`);
  assert.deepEqual(seen.json, { ...open, caller_role: 'public', counts: null });
  for (const body of [{ name: 'x' }, { archived: true }, {}, { kind: 'embedding' }])
    assert.deepEqual(codeOf(await other.ask('PATCH', `/${owner.slug}/open`, body)), [403, 'owner_required', null]);
  assert.deepEqual((await owner.ask('GET', `/${owner.slug}/open`)).json, open);
});

test('whoever a model is shared with reads the name of its project alone, not what its owner says of it, until the share ends', async () => {
  const [owner, friend] = [await someoneOn(server), await someoneOn(server)];
  const made = await owner.make({ name: 'shared', description: 'secret' });
  await owner.make({ name: 'not shared' });
  const expiresAt = new Date(Date.now() + 3_600_000);
  const shareId = await shareModelOf(server, { projectId: made.id, accountId: friend.accountId, expiresAt });
  const at = `/${owner.slug}/shared`;
  const { json } = await friend.ask('GET', at);
  assert.deepEqual(json, { ...made, caller_role: 'shared', counts: null, description: null });
  for (const method of ['GET', 'PATCH'])
    assert.equal(
      (await friend.ask(method, `/${owner.slug}/not-shared`, method === 'GET' ? undefined : {})).status,
      404,
    );
  assert.equal((await owner.ask('GET', at)).json.counts !== null, true);
  assert.deepEqual(codeOf(await friend.ask('PATCH', at, { name: 'x' })), [403, 'owner_required', null]);
  await owner.ask('PATCH', at, { archived: true });
  assert.equal((await friend.ask('GET', at)).status, 200);
  await server.db.database.query(`update model_shares set expires_at = now() where id = $1`, [shareId]);
  assert.equal((await friend.ask('GET', at)).status, 404);
});

test('an account opens as many projects as it may, also when many are opened at once; archived ones do not count', async () => {
  const owner = await someoneOn(server);
  await server.db.database.query('update accounts set max_projects = 3 where id = $1', [owner.accountId]);
  const made = await Promise.all(
    Array.from({ length: 12 }, (_, n) => owner.ask('POST', '', { name: `p${n}`, kind: 'text' })),
  );
  assert.deepEqual(made.filter(({ status }) => status === 201).length, 3);
  const refused = made.find(({ status }) => status !== 201);
  assert.ok(refused);
  assert.deepEqual(codeOf(refused), [409, 'state_conflict', null]);
  assert.deepEqual(refused.json.error?.details, { reason: 'max_projects', limit: 3, actual: 3 });
  const slug = made.find(({ status }) => status === 201)?.json.slug;
  assert.equal((await owner.ask('PATCH', `/${owner.slug}/${slug}`, { archived: true })).status, 200);
  await owner.make({ name: 'in its place' });
  const back = await owner.ask('PATCH', `/${owner.slug}/${slug}`, { archived: false });
  assert.deepEqual(codeOf(back), [409, 'state_conflict', null]);
});

test('a creation that is sent again under its Idempotency-Key makes one project and gets the same answer', async () => {
  const owner = await someoneOn(server);
  const body = { name: 'once', kind: 'text' };
  const send = (key: string, sent: object) => owner.ask('POST', '', sent, { 'idempotency-key': key });
  const first = await send('a', body);
  assert.deepEqual(await send('a', body), first);
  assert.deepEqual([first.status, first.json.slug], [201, 'once']);
  assert.deepEqual(codeOf(await send('a', { ...body, name: 'other' })), [409, 'idempotency_conflict', null]);
  assert.deepEqual(codeOf(await send('b', body)), [409, 'slug_taken', 'slug']);
  assert.equal((await owner.ask('GET')).json.total_count, 1);
  assert.equal((await toldTo(server, owner.accountId)).length, 1);
});

test('names and descriptions come back as they were sent, however they are composed', async () => {
  const owner = await someoneOn(server);
  for (const [n, name] of [
    'Ame\u0301lie',
    'Am\u00e9lie',
    '👩‍👩‍👧',
    "'; drop table projects; --",
    '<b>&amp;',
  ].entries()) {
    const made = await owner.make({ name, slug: `n${n}`, description: `${name}\n${name}` });
    assert.deepEqual([made.name, made.description], [name, `${name}\n${name}`]);
    assert.equal((await owner.ask('GET', `/${owner.slug}/n${n}`)).json.name, name);
  }
});
