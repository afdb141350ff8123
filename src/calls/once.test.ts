import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { constraintOf } from '#db';
import { type Contract, createServer } from '#http';
import { fault, newId, systemClock } from '#kernel';
import { seedAccount } from '#test/accounts.ts';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import { createCalls } from './calls.ts';
import { obeyIdempotencyKeys, once } from './once.ts';

let pg: TestDatabase;
let server: FastifyInstance;
let account: { accountId: string; slug: string };
const instanceId = newId('ins');
/** What the handler does between its change and its answer. */
const meanwhile = { work: async () => {} };

const contract: Contract = { tag: 'things', summary: 'Make', answers: {}, idempotent: true };

before(async () => {
  pg = await createTestDatabase();
  const { database } = pg;
  await database.query('create table things (name text primary key, request_id text not null)');
  await database.query('insert into instances (id) values ($1)', [instanceId]);
  account = await seedAccount(database);
  server = createServer({ authenticator: async () => principal(), probe: async () => {} });
  obeyIdempotencyKeys(server, { database, calls: createCalls({ database, serverId: instanceId, clock: systemClock }) });
  const config = { operation: 'things.create', contract };
  server.post('/things', { config }, async (request, reply) => {
    const { name } = nameOf(request);
    await once(request, database).transaction((tx) => insertThing(tx, name, request.id));
    await meanwhile.work();
    if (name.startsWith('bad')) throw fault('state_conflict');
    reply.code(201);
    return { name, request_id: request.id };
  });
  server.post('/secrets', { config: { operation: 'things.secret', contract } }, async (_request, reply) => {
    reply.header('cache-control', 'no-store');
    return { secret: `s3cret-${randomUUID()}` };
  });
  server.post('/numbered', { config: { operation: 'things.number', contract } }, async (request) => {
    const sql = once(request, database);
    for (let n = 1; ; n++) {
      const name = `${nameOf(request).name}-${n}`;
      try {
        await insertThing(sql, name, request.id);
        return { name };
      } catch (error) {
        if (constraintOf(error) !== 'things_pkey') throw error;
      }
    }
  });
});

after(() => pg?.drop());

function principal() {
  const key = { keyId: null, keyName: null, sessionId: null };
  return { accountId: account.accountId, accountSlug: account.slug, role: 'user', method: 'session', ...key } as const;
}

function nameOf(request: FastifyRequest): { name: string } {
  return request.body as { name: string };
}

async function insertThing(sql: Pick<TestDatabase['database'], 'query'>, name: string, requestId: string) {
  await sql.query('insert into things (name, request_id) values ($1, $2)', [name, requestId]);
}

async function post(path: string, payload: object, key?: string, credential = 'Bearer one') {
  const headers = { authorization: credential, ...(key === undefined ? {} : { 'idempotency-key': key }) };
  const response = await server.inject({ method: 'POST', url: path, payload, headers });
  return { status: response.statusCode, body: response.json(), text: response.body, headers: response.headers };
}

const countOf = async (name: string) =>
  (await pg.database.query('select from things where name like $1', [`${name}%`])).length;

test('a request that is sent again with its key changes nothing more and gets the same answer, marked as one', async () => {
  const [key, name] = [randomUUID(), 'lamp'];
  const first = await post('/things', { name }, key);
  const again = await post('/things', { name }, key);
  assert.equal(first.status, 201);
  assert.equal(first.headers['idempotent-replay'], undefined);
  assert.deepEqual([again.status, again.text], [201, first.text]);
  assert.equal(again.headers['idempotent-replay'], 'true');
  assert.equal(again.headers['content-type'], first.headers['content-type']);
  assert.equal(again.headers['x-fnf-request-id'], first.headers['x-request-id']);
  assert.notEqual(again.headers['x-request-id'], first.headers['x-request-id']);
  assert.equal(await countOf(name), 1);
  const other = await post('/things', { name: 'lamp 2' }, key);
  assert.deepEqual([other.status, other.body.error.code], [409, 'idempotency_conflict']);
});

test('of fifty equal requests at once one changes something, and the others are told that it runs', async () => {
  const [key, name] = [randomUUID(), 'chair'];
  const answers = await Promise.all(Array.from({ length: 50 }, () => post('/things', { name }, key)));
  const made = answers.filter(({ status }) => status === 201);
  const fresh = made.filter(({ headers }) => headers['idempotent-replay'] === undefined);
  assert.equal(fresh.length, 1);
  assert.ok(made.every(({ text }) => text === made[0]?.text));
  for (const { status, body } of answers.filter(({ status }) => status !== 201))
    assert.deepEqual([status, body.error.code], [409, 'idempotency_in_progress']);
  assert.equal(await countOf(name), 1);
});

test('a request that fails leaves nothing behind and may be sent again', async () => {
  const [key, name] = [randomUUID(), 'bad'];
  for (let round = 0; round < 2; round++) {
    const { status, body, headers } = await post('/things', { name }, key);
    assert.deepEqual([status, body.error.code], [409, 'state_conflict']);
    assert.equal(headers['idempotent-replay'], undefined);
    assert.equal(await countOf(name), 0);
  }
  assert.equal((await post('/things', { name: 'good' }, key)).status, 201);
});

test('without a key every request counts, and its changes are its own', async () => {
  assert.equal((await post('/things', { name: 'free' })).status, 201);
  assert.equal((await post('/things', { name: 'bad free' })).status, 409);
  assert.equal(await countOf('free'), 1);
  assert.equal(await countOf('bad free'), 1);
});

test('a key that is no key is refused before anything is changed', async () => {
  const { status, body } = await post('/things', { name: 'unkeyed' }, 'k'.repeat(129));
  assert.deepEqual([status, body.error.param], [400, 'Idempotency-Key']);
  assert.equal(await countOf('unkeyed'), 0);
});

test('a conflict that the handler recovers from does not spoil its transaction', async () => {
  const names = [];
  for (let n = 0; n < 3; n++) names.push((await post('/numbered', { name: 'slug' }, randomUUID())).body.name);
  assert.deepEqual(names, ['slug-1', 'slug-2', 'slug-3']);
});

test('a change is undone when another process took the key over meanwhile', async () => {
  const [key, name] = [randomUUID(), 'overtaken'];
  meanwhile.work = async () => {
    await pg.database.query("update calls set request_id = 'req_other' where idempotency_key = $1", [key]);
  };
  const { status, body } = await post('/things', { name }, key);
  meanwhile.work = async () => {};
  assert.deepEqual([status, body.error.code], [409, 'idempotency_in_progress']);
  assert.equal(await countOf(name), 0);
});

test('a change whose commit fails leaves nothing behind and may be sent again at once', async () => {
  const { database } = pg;
  await database.query(`create function refuse() returns trigger language plpgsql as 'begin raise ''no commit''; end'`);
  await database.query(
    `create constraint trigger refuse after insert on things deferrable initially deferred
      for each row when (new.name = 'late') execute function refuse()`,
  );
  const key = randomUUID();
  for (let round = 0; round < 2; round++) {
    assert.equal((await post('/things', { name: 'late' }, key)).status, 500);
    assert.equal(await countOf('late'), 0);
  }
  await database.query('drop trigger refuse on things');
  const { status, headers } = await post('/things', { name: 'late' }, key);
  assert.deepEqual([status, headers['idempotent-replay']], [201, undefined]);
  assert.equal(await countOf('late'), 1);
});

test('many slow requests with keys all end, and requests without one do not wait for them', async () => {
  const gate = Promise.withResolvers<void>();
  meanwhile.work = () => gate.promise;
  const slow = Array.from({ length: 12 }, (_, n) => post('/things', { name: `slow ${n}` }, randomUUID()));
  await new Promise((resolve) => setTimeout(resolve, 50));
  meanwhile.work = async () => {};
  assert.equal((await post('/things', { name: 'quick' })).status, 201);
  gate.resolve();
  assert.deepEqual(new Set((await Promise.all(slow)).map(({ status }) => status)), new Set([201]));
  assert.equal(await countOf('slow'), 12);
});

test('an answer without a secret can be had again with every credential of the account', async () => {
  const key = randomUUID();
  const first = await post('/things', { name: 'shared' }, key);
  const again = await post('/things', { name: 'shared' }, key, 'Bearer two');
  assert.deepEqual([again.status, again.text], [201, first.text]);
  assert.equal(again.headers['idempotent-replay'], 'true');
});

test('an answer with a secret can be had again with the same credential only, and the database cannot read it', async () => {
  const key = randomUUID();
  const first = await post('/secrets', {}, key);
  const again = await post('/secrets', {}, key);
  assert.equal(again.text, first.text);
  assert.equal(again.headers['cache-control'], 'no-store');
  const other = await post('/secrets', {}, key, 'Bearer two');
  assert.deepEqual([other.status, other.body.error.code], [409, 'idempotency_conflict']);
  const [row] = await pg.database.query<{ body: Buffer }>('select body from calls where idempotency_key = $1', [key]);
  assert.ok(row && !row.body.includes('s3cret'));
});
