import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createServer } from '#http';
import { createCursorCodec, systemClock } from '#kernel';
import { createKeyAuthenticator, createKeyUsage } from '#keys';
import { bearer, seedAccount, seedKey } from '#test/accounts.ts';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import { activityRoutes } from './activity.routes.ts';
import type { ActivityWire } from './activity.schema.ts';
import { type Happening, recordActivity, systemActor } from './record.ts';

let db: TestDatabase;
let server: ReturnType<typeof createServer>;
let origin = '';

before(async () => {
  db = await createTestDatabase();
  const sql = db.database;
  const usage = createKeyUsage({ sql, clock: systemClock });
  server = createServer({ authenticator: createKeyAuthenticator({ sql, usage }), probe: async () => {} });
  server.register(activityRoutes({ sql, cursors: createCursorCodec(Buffer.alloc(32, 7)) }));
  origin = await server.listen({ host: '127.0.0.1', port: 0 });
});

after(async () => {
  await server.close();
  await db.drop();
});

type Told = Partial<Omit<Happening, 'accountId'>>;

/** An account whose feed is empty, a way to ask as it, and a way to let things happen to it. */
async function someone() {
  const { accountId, slug } = await seedAccount(db.database);
  const { key } = await seedKey(db.database, { accountId });
  const ask = async (method: string, path = '', body?: unknown) => {
    const response = await fetch(`${origin}/api/v1/activity${path}`, {
      method,
      headers: { ...bearer(key), ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, json: JSON.parse(await response.text()) };
  };
  const happen = (told: Told = {}) =>
    recordActivity(db.database, {
      accountId,
      type: 'project.updated',
      actor: systemActor,
      subject: { kind: 'project', id: 'prj_1', label: 'Lamps' },
      message: 'The project "Lamps" was changed.',
      ...told,
    });
  const rows = async (query = ''): Promise<ActivityWire[]> => (await ask('GET', query)).json.data;
  await ask('POST', '/archive', { before: '2999-01-01T00:00:00Z' });
  return { accountId, slug, ask, happen, rows };
}

const typesOf = (rows: readonly ActivityWire[]) => rows.map(({ type }) => type);

test('a row says what happened, who did it, to what, where it is shown, and in which request', async () => {
  const { happen, rows } = await someone();
  await happen({
    type: 'training.failed',
    severity: 'error',
    actor: { kind: 'api_key', id: 'key_1', label: 'CI' },
    project: { ownerSlug: 'ada', slug: 'search' },
    subject: { kind: 'training_job', id: 'job_1/ä', label: 'run 7' },
    message: 'Training "run 7" failed.',
    data: { code: 'out_of_memory', hints: ['smaller batches'] },
    requestId: 'req_1',
  });
  const [row] = await rows();
  assert.ok(row);
  const { id, created_at, ...rest } = row;
  assert.match(id, /^act_[0-9A-Z]{26}$/);
  assert.match(created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.deepEqual(rest, {
    type: 'training.failed',
    severity: 'error',
    actor: { kind: 'api_key', id: 'key_1', label: 'CI' },
    project: { owner: 'ada', slug: 'search' },
    subject: {
      kind: 'training_job',
      id: 'job_1/ä',
      label: 'run 7',
      href: '/projects/ada/search/training-jobs/job_1%2F%C3%A4',
    },
    message: 'Training "run 7" failed.',
    data: { code: 'out_of_memory', hints: ['smaller batches'] },
    request_id: 'req_1',
    archived: false,
  });
});

test('the feed leaves out what is archived, unless it is asked for', async () => {
  const { happen, ask, rows } = await someone();
  await happen({ type: 'project.created' });
  await happen();
  const [, created] = await rows();
  const archived = await ask('PATCH', `/${created?.id}/archive`);
  assert.deepEqual([archived.status, archived.json], [200, { ...created, archived: true }]);
  assert.deepEqual(typesOf(await rows()), ['project.updated']);
  assert.deepEqual(typesOf(await rows('?archived=false')), ['project.updated']);
  assert.deepEqual(typesOf(await rows('?archived=true')), ['project.created', 'key.created']);
  assert.deepEqual(typesOf(await rows('?archived=all')), ['project.updated', 'project.created', 'key.created']);
  const back = await ask('PATCH', `/${created?.id}/unarchive`);
  assert.deepEqual([back.status, back.json], [200, created]);
  assert.deepEqual(typesOf(await rows()), ['project.updated', 'project.created']);
});

test('archiving what is archived, or putting back what is there, is 200 and keeps the first time', async () => {
  const { happen, ask, rows, accountId } = await someone();
  await happen();
  const [row] = await rows();
  const times = new Set<string>();
  for (const verb of ['unarchive', 'archive', 'archive', 'archive']) {
    const { status, json } = await ask('PATCH', `/${row?.id}/${verb}`);
    assert.deepEqual([status, json.archived], [200, verb === 'archive']);
    const [stored] = await db.database.query<{ at: Date | null }>(
      "select archived_at as at from activity where account_id = $1 and type = 'project.updated'",
      [accountId],
    );
    if (stored?.at) times.add(stored.at.toISOString());
  }
  assert.equal(times.size, 1);
});

test('type and project narrow the feed, together with the archive filter', async () => {
  const { happen, rows, ask } = await someone();
  const [search, chat] = ['search', 'chat'].map((slug) => ({ ownerSlug: 'ada', slug }));
  await happen({ type: 'project.created', ...(search && { project: search }) });
  await happen({ type: 'project.created', ...(chat && { project: chat }) });
  await happen({ type: 'project.updated', ...(chat && { project: chat }) });
  assert.equal((await rows('?type=project.created')).length, 2);
  assert.deepEqual(typesOf(await rows('?project=ada/chat')), ['project.updated', 'project.created']);
  assert.deepEqual(typesOf(await rows('?project=ada/chat&type=project.created')), ['project.created']);
  assert.deepEqual(await rows('?project=ada/chat&archived=true'), []);
  assert.deepEqual(await rows('?project=eve/chat'), []);
  assert.equal((await ask('GET', '?project=ada/chat')).json.total_count, 2);
});

test('bad filters are refused and named', async () => {
  const { ask } = await someone();
  for (const [query, param] of [
    ['?archived=maybe', 'archived'],
    ['?archived=', 'archived'],
    ['?type=key.stolen', 'type'],
    ['?project=chat', 'project'],
    ['?project=a/b/c', 'project'],
    ['?project=A/b', 'project'],
    ['?limit=0', 'limit'],
    ['?limit=101', 'limit'],
  ]) {
    const { status, json } = await ask('GET', query);
    assert.deepEqual([status, json.error.code, json.error.param], [400, 'invalid_request', param], query);
  }
});

test('pages walk through the feed once, newest first, also when much happened in one instant', async () => {
  const { happen, ask, accountId } = await someone();
  for (let i = 0; i < 23; i++) await happen({ data: { i } });
  // Rows never change by themselves: only a migration, so to speak, may put many of them into one microsecond.
  await db.database.query('alter table activity disable trigger activity_is_immutable');
  await db.database.query(
    "update activity set created_at = '2026-01-02T03:04:05.678901Z' where account_id = $1 and (data ->> 'i')::int < 15",
    [accountId],
  );
  await db.database.query('alter table activity enable trigger activity_is_immutable');
  const expected = await db.database.query<{ id: string }>(
    'select id from activity where account_id = $1 and archived_at is null order by created_at desc, id desc',
    [accountId],
  );
  for (const limit of [1, 5, 23, 100]) {
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { json } = await ask('GET', `?limit=${limit}${cursor && `&cursor=${cursor}`}`);
      assert.equal(json.total_count, 23);
      seen.push(...json.data.map((row: ActivityWire) => row.id));
      cursor = json.next_cursor;
    }
    assert.deepEqual(
      seen,
      expected.map(({ id }) => id),
    );
  }
});

test('a cursor is worth nothing under another filter, for another account, or changed', async () => {
  const [mine, other] = [await someone(), await someone()];
  for (const { happen } of [mine, other]) for (let i = 0; i < 3; i++) await happen();
  const cursor: string = (await mine.ask('GET', '?limit=1')).json.next_cursor;
  assert.equal((await mine.ask('GET', `?limit=2&archived=false&cursor=${cursor}`)).status, 200);
  const answers = [
    await mine.ask('GET', `?archived=true&cursor=${cursor}`),
    await mine.ask('GET', `?archived=all&cursor=${cursor}`),
    await mine.ask('GET', `?type=project.updated&cursor=${cursor}`),
    await mine.ask('GET', `?project=a/b&cursor=${cursor}`),
    await mine.ask('GET', `?cursor=${cursor}x`),
    await other.ask('GET', `?cursor=${cursor}`),
  ];
  for (const { status, json } of answers) assert.deepEqual([status, json.error.code], [400, 'invalid_cursor']);
});

test("another account's rows are as unknown as rows that never were, and cannot be archived", async () => {
  const [mine, other] = [await someone(), await someone()];
  await other.happen();
  const [foreign] = await other.rows();
  for (const id of [foreign?.id, 'act_00000000000000000000000000', 'x', '%01', '%F0%9F%94%91'])
    for (const verb of ['archive', 'unarchive']) {
      const { status, json } = await mine.ask('PATCH', `/${id}/${verb}`);
      assert.deepEqual([status, json.error.code, json.error.message], [404, 'not_found', 'There is no such activity.']);
    }
  const { status, json } = await mine.ask('POST', '/archive', { ids: [foreign?.id, 'x', 'a\u0001'] });
  assert.deepEqual([status, json], [200, { archived: 0 }]);
  assert.equal((await other.rows()).length, 1);
  assert.deepEqual(await mine.rows(), []);
});

test('many rows are archived by time, by id, or by what fits both, and each is counted once', async () => {
  const { happen, ask, rows } = await someone();
  for (let i = 0; i < 4; i++) await happen({ data: { i } });
  const feed = await rows();
  const ids = feed.map(({ id }) => id);
  const past = '2020-01-01T00:00:00Z';
  assert.deepEqual((await ask('POST', '/archive', { before: past })).json, { archived: 0 });
  assert.deepEqual((await ask('POST', '/archive', { before: past, ids })).json, { archived: 0 });
  assert.deepEqual((await ask('POST', '/archive', { ids: [ids[0], ids[0], ids[1]] })).json, { archived: 2 });
  assert.deepEqual((await ask('POST', '/archive', { before: '2999-01-01T00:00:00+02:00' })).json, { archived: 2 });
  assert.deepEqual((await ask('POST', '/archive', { ids })).json, { archived: 0 });
  assert.deepEqual(await rows(), []);
  assert.deepEqual(
    (await rows('?archived=true')).slice(0, 4).map(({ id }) => id),
    ids,
  );
});

test('a long feed is archived whole, and by twenty at once each row by one of them', async () => {
  const { ask, accountId } = await someone();
  await db.database.query(
    `insert into activity (id, account_id, type, severity, actor_kind, actor_label, subject_kind, subject_id,
       subject_label, message)
     select 'act_' || lpad(n::text, 26, '0'), $1, 'key.created', 'info', 'system', 'Fanfold', 'key', 'key_1', 'k', 'm'
       from generate_series(1, 2500) n`,
    [accountId],
  );
  const tries = Array.from({ length: 20 }, () => ask('POST', '/archive', { before: '2999-01-01T00:00:00Z' }));
  const counts = (await Promise.all(tries)).map(({ json }) => json.archived as number);
  assert.equal(
    counts.reduce((sum, count) => sum + count, 0),
    2500,
  );
});

test('a bulk archive without a selection, or with a bad one, is refused and names the field', async () => {
  const { ask } = await someone();
  for (const [body, status, param] of [
    [{}, 400, 'before'],
    [{ before: 'yesterday' }, 400, 'before'],
    [{ ids: [] }, 400, 'ids'],
    [{ ids: Array.from({ length: 101 }, () => 'x') }, 400, 'ids'],
    [{ ids: 'act_1' }, 422, 'ids'],
    [{ before: 5 }, 422, 'before'],
  ] as const) {
    const { status: got, json } = await ask('POST', '/archive', body);
    assert.deepEqual(
      [got, json.error.code, json.error.param],
      [status, 'invalid_request', param],
      JSON.stringify(body),
    );
  }
});

test('a key that somebody pastes into a name does not get into the log that nobody can change', async () => {
  const { happen, rows, accountId } = await someone();
  const { key } = await seedKey(db.database, { accountId, name: 'pasted' });
  await happen({
    actor: { kind: 'api_key', id: 'key_1', label: key },
    subject: { kind: 'project', id: 'prj_1', label: `my ${key}` },
    message: `The project "my ${key}" was changed.`,
    data: { name: { before: 'x', after: `my "${key}"` } },
  });
  const [row] = await rows();
  assert.ok(row && !JSON.stringify(row).includes(key));
  const shown = `${key.slice(0, 8)}...${key.slice(-4)}`;
  assert.equal(row.subject.label, `my ${shown}`);
  assert.deepEqual(row.data, { name: { before: 'x', after: `my "${shown}"` } });
});

test('rows cannot be rewritten or removed, by anything', async () => {
  const { happen, accountId } = await someone();
  await happen();
  for (const statement of [
    "update activity set message = 'x' where account_id = $1",
    "update activity set data = '{}', archived_at = now(), actor_label = 'x' where account_id = $1",
    'delete from activity where account_id = $1',
  ])
    await assert.rejects(db.database.query(statement, [accountId]), /immutable/);
});

test('what one key did is listed by itself, page by page, and a cursor belongs to it alone', async () => {
  const { ask, happen, rows } = await someone();
  const actor = (id: string) => ({ kind: 'api_key' as const, id, label: 'CI' });
  for (const id of ['key_1', 'key_2', 'key_1', 'key_1']) await happen({ actor: actor(id) });
  await happen();
  assert.equal((await rows('?actor_id=key_1')).length, 3);
  assert.deepEqual(await rows('?actor_id=key_3'), []);

  const first = (await ask('GET', '?actor_id=key_1&limit=2')).json;
  assert.equal(first.total_count, 3);
  const cursor = encodeURIComponent(first.next_cursor);
  const second = (await ask('GET', `?actor_id=key_1&limit=2&cursor=${cursor}`)).json;
  assert.deepEqual([second.data.length, second.next_cursor], [1, null]);
  for (const other of ['', '&actor_id=key_2'])
    assert.equal((await ask('GET', `?limit=2&cursor=${cursor}${other}`)).json.error.code, 'invalid_cursor');

  const stranger = await someone();
  assert.deepEqual(await stranger.rows('?actor_id=key_1'), []);
});
