import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createCursorCodec, newId } from '#kernel';
import { seedAccount, seedProject } from '#test/accounts.ts';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import { listRequests } from './list-requests.ts';
import { insertRequestLog, type LoggedRequest } from './request-log.store.ts';

const nowMs = Date.now();
const clock = { nowMs: () => nowMs, monotonicMs: () => 0 };
const cursors = createCursorCodec(Buffer.alloc(32, 1));
const day = 24 * 60 * 60_000;

let pg: TestDatabase;
let account: { accountId: string; slug: string };
let project: { projectId: string; slug: string };

before(async () => {
  pg = await createTestDatabase();
  account = await seedAccount(pg.database);
  project = await seedProject(pg.database, { accountId: account.accountId });
});

after(() => pg?.drop());

function ended(agoMs: number, fields: Partial<LoggedRequest> = {}): LoggedRequest {
  return {
    id: newId('req', nowMs - agoMs),
    accountId: account.accountId,
    state: 'succeeded',
    operation: 'chat.create',
    projectId: project.projectId,
    keyId: 'key_1',
    keyName: 'laptop',
    model: 'chat',
    httpStatus: 200,
    errorCode: null,
    errorMessage: null,
    promptTokens: 5,
    completionTokens: 7,
    firstTokenMs: 20,
    totalMs: 90,
    activeMs: 41.6,
    micro: 50n,
    finishedAt: new Date(nowMs - agoMs + 90),
    ...fields,
  };
}

const failure: Partial<LoggedRequest> = {
  state: 'failed',
  httpStatus: 400,
  errorCode: 'invalid_request',
  errorMessage: 'temperature: must be at most 2.',
  model: 'other',
  keyId: 'key_2',
  operation: 'messages.create',
};

type Query = Parameters<typeof listRequests>[2];
const list = (query: Query, { limit = 25, cursor = null }: { limit?: number; cursor?: string | null } = {}) =>
  listRequests({ sql: pg.database, cursors, clock }, account.accountId, query, { limit, cursor });

test('calls are listed with all that is known of them, the latest arrival first, page by page', async () => {
  const calls = [ended(1_000), ended(2_000, failure), ended(3_000), ended(31 * day)];
  await insertRequestLog(pg.database, calls);
  const first = await list({}, { limit: 2 });
  assert.deepEqual(
    first.rows.map(({ id }) => id),
    [calls[0]?.id, calls[1]?.id],
  );
  assert.deepEqual([first.totalCount, first.isExact], [3, true]);
  assert.deepEqual(first.rows[1], {
    id: calls[1]?.id,
    createdAt: new Date(nowMs - 2_000),
    route: 'messages.create',
    project: { owner: account.slug, slug: project.slug },
    key: { id: 'key_2', name: 'laptop' },
    model: 'other',
    state: 'failed',
    httpStatus: 400,
    errorCode: 'invalid_request',
    errorMessage: 'temperature: must be at most 2.',
    promptTokens: 5,
    completionTokens: 7,
    firstTokenMs: 20,
    totalMs: 90,
    activeMs: 42,
    credits: '0.000050',
    finishedAt: new Date(nowMs - 2_000 + 90),
  });
  const second = await list({}, { limit: 2, cursor: first.nextCursor });
  assert.deepEqual([second.rows.map(({ id }) => id), second.nextCursor], [[calls[2]?.id], null]);
  const filters: Query[] = [
    { state: 'failed' },
    { error_code: 'invalid_request' },
    { model: 'other' },
    { key_id: 'key_2' },
    { route: 'messages.create' },
    { from: new Date(nowMs - 2_500).toISOString(), to: new Date(nowMs - 1_500).toISOString() },
    { project: `${account.slug}/${project.slug}`, model: 'other' },
  ];
  for (const filter of filters) {
    const { rows, totalCount } = await list(filter);
    assert.deepEqual([rows.map(({ id }) => id), totalCount], [[calls[1]?.id], 1], JSON.stringify(filter));
  }
  assert.deepEqual((await list({ project: 'nobody/nothing' })).rows, []);
  await assert.rejects(list({ state: 'failed' }, { cursor: first.nextCursor }));
  const stranger = await seedAccount(pg.database);
  const { rows } = await listRequests(
    { sql: pg.database, cursors, clock },
    stranger.accountId,
    {},
    { limit: 25, cursor: null },
  );
  assert.deepEqual(rows, []);
});

test('a page looks at a bounded number of calls and goes on where it stopped', async () => {
  const other = await seedAccount(pg.database);
  const { accountId } = other;
  await pg.database.query(
    `insert into request_log (id, account_id, state, model, finished_at)
     select first_id_at('req', $2::timestamptz - make_interval(secs => n)), $1, 'succeeded', case n when 10500 then 'rare' else 'chat' end, now()
       from generate_series(1, 10600) n`,
    [accountId, new Date(nowMs)],
  );
  const read = (cursor: string | null) =>
    listRequests({ sql: pg.database, cursors, clock }, accountId, { model: 'rare' }, { limit: 5, cursor });
  const first = await read(null);
  assert.deepEqual([first.rows.length, first.isExact], [0, false]);
  assert.notEqual(first.nextCursor, null);
  const second = await read(first.nextCursor);
  assert.deepEqual([second.rows.length, second.nextCursor], [1, null]);
});

test('neither a list nor its count reads a table from end to end', async () => {
  await pg.database.query('analyze request_log');
  await pg.database.transaction(async (tx) => {
    const plans: string[] = [];
    for (const state of ["state <> 'succeeded'", 'true']) {
      const rows = await tx.query<{ 'QUERY PLAN': string }>(
        `explain select * from request_log where account_id = $1 and id >= 'req_0' and id < 'req_~' and ${state}
          order by id desc limit 26`,
        [account.accountId],
      );
      plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'));
    }
    for (const plan of plans) assert.match(plan, /Index.* Scan Backward|Index Cond/);
  });
});

test('tokens are added up by the hour in which their calls arrived, once for each call', async () => {
  const { accountId } = await seedAccount(pg.database);
  const hourMs = 3_600_000;
  const startMs = Math.floor(nowMs / hourMs) * hourMs;
  const of = (atMs: number, fields: Partial<LoggedRequest> = {}) =>
    ended(nowMs - atMs, { accountId, id: newId('req', atMs), ...fields });
  const calls = [
    of(startMs),
    of(startMs + 1),
    of(startMs - 1, { completionTokens: null }),
    of(startMs - 2, { ...failure, promptTokens: null, completionTokens: null }),
  ];
  await insertRequestLog(pg.database, calls);
  await insertRequestLog(pg.database, calls);
  const rows = await pg.database.query(
    'select hour, prompt_tokens::integer as prompt, completion_tokens::integer as completion from token_hours where account_id = $1 order by hour',
    [accountId],
  );
  assert.deepEqual(rows, [
    { hour: new Date(startMs - hourMs), prompt: 5, completion: 0 },
    { hour: new Date(startMs), prompt: 10, completion: 14 },
  ]);
});
