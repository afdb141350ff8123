import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Database, Sql } from '#db';
import { createCursorCodec } from '#kernel';
import { seedAccount } from '#test/accounts.ts';
import type { ProjectFilter } from './project-list.store.ts';
import { listProjects } from './project-list.ts';
import type { ProjectWire } from './projects.schema.ts';
import {
  type ProjectsServer,
  type Someone,
  shareModelOf,
  someoneOn,
  startProjectsServer,
} from './projects-server.fixture.ts';

let server: ProjectsServer;

before(async () => {
  server = await startProjectsServer();
});

after(() => server?.stop());

type PageWire = { data: ProjectWire[]; next_cursor: string | null; total_count: number };

async function pageOf(who: Someone, query: string): Promise<PageWire> {
  const { status, json } = await who.ask('GET', `?${query}`);
  assert.equal(status, 200, JSON.stringify(json));
  // as: the fields are looked at below.
  return json as unknown as PageWire;
}

/** All pages of a list, by slug. */
async function walk(who: Someone, query: string): Promise<string[]> {
  const slugs: string[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: PageWire = await pageOf(who, `${query}${cursor && `&cursor=${cursor}`}`);
    slugs.push(...page.data.map(({ slug }) => slug));
    cursor = page.next_cursor;
    assert.ok(slugs.length <= page.total_count);
    if (cursor === null) assert.equal(slugs.length, page.total_count);
  }
  return slugs;
}

const slugsOf = async (who: Someone, query: string) => (await pageOf(who, query)).data.map(({ slug }) => slug);

test('pages of any size tell each project once, newest first, also those of one instant', async () => {
  const owner = await someoneOn(server);
  const slugs = Array.from({ length: 7 }, (_, n) => `p${n}`);
  for (const slug of slugs) await owner.make({ name: slug, slug });
  assert.deepEqual(await walk(owner, 'limit=25'), slugs.toReversed());
  await server.db.database.query(
    `update projects set created_at = '2026-01-02T03:04:05.678901Z' where account_id = $1 and slug in ('p2', 'p4', 'p5')`,
    [owner.accountId],
  );
  const all = await slugsOf(owner, 'limit=100');
  assert.deepEqual(all, ['p6', 'p3', 'p1', 'p0', 'p5', 'p4', 'p2']);
  for (const limit of [1, 2, 3, 6, 7]) assert.deepEqual(await walk(owner, `limit=${limit}`), all, `limit ${limit}`);
});

test('a row of the list is the project as it is read', async () => {
  const [owner, friend] = [await someoneOn(server), await someoneOn(server)];
  const { id, slug } = await owner.make({ name: 'row', description: 'secret' });
  await shareModelOf(server, { projectId: id, accountId: friend.accountId });
  for (const who of [owner, friend]) {
    const read = (await who.ask('GET', `/${owner.slug}/${slug}`)).json;
    const { data } = await pageOf(who, '');
    assert.deepEqual(data, [read]);
  }
  assert.equal((await pageOf(owner, '')).data[0]?.counts?.hosted_models, 1);
});

test('filters leave only what fits, alone and together', async () => {
  const owner = await someoneOn(server);
  await owner.make({ name: 'a', kind: 'text' });
  await owner.make({ name: 'b', kind: 'embedding' });
  await owner.make({ name: 'c', kind: 'embedding' });
  await owner.make({ name: 'd', kind: 'text' });
  for (const slug of ['c', 'd']) await owner.ask('PATCH', `/${owner.slug}/${slug}`, { archived: true });
  assert.deepEqual(await slugsOf(owner, ''), ['b', 'a']);
  assert.deepEqual(await slugsOf(owner, 'archived=false&kind=text'), ['a']);
  assert.deepEqual(await slugsOf(owner, 'archived=true'), ['d', 'c']);
  assert.deepEqual(await slugsOf(owner, 'archived=true&kind=embedding&access=owned&q=c'), ['c']);
  assert.deepEqual(await slugsOf(owner, 'access=shared'), []);
  assert.equal((await pageOf(owner, 'kind=text&limit=1')).total_count, 1);
  for (const [query, param] of [
    ['kind=image', 'kind'],
    ['access=public', 'access'],
    ['archived=maybe', 'archived'],
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    [`q=${'x'.repeat(201)}`, 'q'],
  ]) {
    const { status, json } = await owner.ask('GET', `?${query}`);
    assert.deepEqual([status, json.error?.code, json.error?.param], [400, 'invalid_request', param], query);
  }
});

test('a search looks through name, slug and description, however the words are typed', async () => {
  const owner = await someoneOn(server);
  await owner.make({ name: 'Crème Brûlée', slug: 'dessert', description: '100 % sugar_free' });
  await owner.make({ name: '客服助手', slug: 'support' });
  const found = async (q: string) => slugsOf(owner, `q=${encodeURIComponent(q)}`);
  for (const q of ['brûlée', 'BRÛLÉE', 'brûlée'.normalize('NFD'), 'ｂｒûｌéｅ', 'dess', '100 %', 'sugar_f'])
    assert.deepEqual(await found(q), ['dessert'], q);
  for (const q of ['服助', 'SUPPORT', 'port']) assert.deepEqual(await found(q), ['support'], q);
  for (const q of ['%', '_'] as const) assert.deepEqual(await found(q), ['dessert'], q);
  for (const q of ["'", '\\', '%%', 'brulee', 'dessertcr']) assert.deepEqual(await found(q), [], q);
  assert.equal((await found('')).length, 2);
  await owner.ask('PATCH', `/${owner.slug}/dessert`, { name: 'Pudding' });
  assert.deepEqual([await found('brûlée'), await found('pudding')], [[], ['dessert']]);
});

test('what others share is listed once per project, beside the own, while the share lasts and the project is open', async () => {
  const [owner, friend, stranger] = [await someoneOn(server), await someoneOn(server), await someoneOn(server)];
  const project = await owner.make({ name: 'theirs' });
  const other = await owner.make({ name: 'for-another' });
  await owner.make({ name: 'open', visibility: 'public' });
  await friend.make({ name: 'mine' });
  const shares = [
    await shareModelOf(server, { projectId: project.id, accountId: friend.accountId }),
    await shareModelOf(server, { projectId: project.id, accountId: friend.accountId }),
  ];
  await shareModelOf(server, { projectId: other.id, accountId: stranger.accountId });
  assert.deepEqual(await slugsOf(friend, ''), ['mine', 'theirs']);
  assert.deepEqual(await slugsOf(friend, 'access=all&limit=1'), ['mine']);
  assert.deepEqual(await walk(friend, 'limit=1'), ['mine', 'theirs']);
  assert.deepEqual(await slugsOf(friend, 'access=owned'), ['mine']);
  const { data, total_count } = await pageOf(friend, 'access=shared');
  assert.deepEqual(
    data.map(({ slug, caller_role, counts }) => [slug, caller_role, counts]),
    [['theirs', 'shared', null]],
  );
  assert.equal(total_count, 1);
  await server.db.database.query('update model_shares set expires_at = now() where id = any($1)', [shares]);
  assert.deepEqual(await slugsOf(friend, ''), ['mine']);
});

test('a cursor is good for its account and its filters only, and not when a character is changed', async () => {
  const [owner, other] = [await someoneOn(server), await someoneOn(server)];
  for (const who of [owner, other]) for (const name of ['x1', 'x2', 'x3']) await who.make({ name });
  const { next_cursor: cursor } = await pageOf(owner, 'limit=1&q=x');
  assert.ok(cursor);
  assert.deepEqual(await slugsOf(owner, `limit=2&q=X&cursor=${cursor}`), ['x2', 'x1']);
  const refused = async (who: Someone, query: string) => {
    const { status, json } = await who.ask('GET', `?${query}`);
    assert.deepEqual([status, json.error?.code, json.error?.param], [400, 'invalid_cursor', 'cursor'], query);
  };
  await refused(other, `limit=1&q=x&cursor=${cursor}`);
  for (const query of ['', 'q=x1', 'q=x&kind=text', 'q=x&archived=true', 'q=x&access=owned'])
    await refused(owner, `${query}&cursor=${cursor}`);
  for (let at = 0; at < cursor.length; at += 7)
    await refused(owner, `q=x&cursor=${cursor.slice(0, at)}${cursor[at] === 'A' ? 'B' : 'A'}${cursor.slice(at + 1)}`);
  await refused(owner, 'q=x&cursor=');
});

type Plan = {
  'Relation Name'?: string;
  'Index Cond'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: Plan[];
};

/** Rows that a plan took out of the table, those included which it then threw away. */
function rowsRead(plan: Plan, table: string): number {
  const own = plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0);
  const inner = (plan.Plans ?? []).map((each) => rowsRead(each, table)).reduce((sum, rows) => sum + rows, 0);
  return inner + (plan['Relation Name'] === table ? own * plan['Actual Loops'] : 0);
}

type Read = { text: string; rows: number };

/** A database that tells of each statement how many projects it read, planned as the pool plans it: for any values. */
function metered({ transaction, query }: Database): { sql: Sql; reads: Read[] } {
  const reads: Read[] = [];
  const quoted = (value: unknown) => `'${String(Array.isArray(value) ? `{${value.join(',')}}` : value)}'`;
  return {
    reads,
    sql: {
      query: async (text, values = []) => {
        await transaction(async (tx) => {
          await tx.query(`prepare metered as ${text}`);
          const [told] = await tx.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
            `explain (analyze, format json) execute metered (${values.map(quoted).join(', ')})`,
          );
          await tx.query('deallocate metered');
          if (told) reads.push({ text, rows: rowsRead(told['QUERY PLAN'][0].Plan, 'projects') });
        });
        return query(text, values);
      },
    },
  };
}

/** Where each page of a list starts. */
async function startsOf(sql: Sql, filter: ProjectFilter): Promise<{ starts: (string | null)[]; seen: number }> {
  const starts: (string | null)[] = [];
  let seen = 0;
  for (let cursor: string | null = null; ; ) {
    starts.push(cursor);
    const { rows, totalCount, cursorOf } = await listProjects({ sql, cursors }, filter, { limit: 100, cursor });
    seen += Math.min(rows.length, 100);
    const last = rows.length > 100 ? rows[99] : undefined;
    if (!last) {
      assert.equal(totalCount, seen);
      return { starts, seen };
    }
    cursor = cursorOf(last);
  }
}

const cursors = createCursorCodec(Buffer.alloc(32, 7));

test('of ten thousand projects the last page reads no more than the first, for every filter, whatever the statistics say', async () => {
  const { database } = server.db;
  const { accountId } = await seedAccount(database);
  await database.query(
    `insert into projects (id, account_id, slug, name, kind, archived_at, created_at, search_text)
     select 'prj_' || lpad(n::text, 26, '0'), $1, 'p' || n, 'p' || n,
            case when n % 50 = 0 then 'embedding' else 'text' end, case when n % 20 = 1 then now() end,
            timestamptz '2026-01-01' + n * interval '1 minute', 'p' || n
       from generate_series(1, 10000) n`,
    [accountId],
  );
  const open: ProjectFilter = { accountId, access: 'owned', archived: false, kind: null, search: null };
  const filters: [Partial<ProjectFilter>, number][] = [
    [{}, 9500],
    [{ access: 'all' }, 9500],
    [{ kind: 'embedding' }, 200],
    [{ archived: true }, 500],
  ];
  const lists: { filter: ProjectFilter; starts: (string | null)[] }[] = [];
  for (const [part, total] of filters) {
    const filter = { ...open, ...part };
    const { starts, seen } = await startsOf(database, filter);
    assert.equal(seen, total);
    lists.push({ filter, starts });
  }
  for (const prepare of ['select', 'analyze projects']) {
    await database.query(prepare);
    for (const { filter, starts } of lists)
      for (const at of [0, starts.length >> 1, starts.length - 1]) {
        const { sql, reads } = metered(database);
        await listProjects({ sql, cursors }, filter, { limit: 100, cursor: starts[at] ?? null });
        assert.equal(reads.length, 3);
        const [page] = reads.filter(({ text }) => text.includes(' limit '));
        assert.ok(page && page.rows <= 101, `${JSON.stringify(filter)}, page ${at}, ${prepare}: ${page?.rows} rows`);
      }
  }
});
