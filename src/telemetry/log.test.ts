import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import { fault } from '#kernel';
import { bearer } from '#test/accounts.ts';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import { startProgram } from '#test/program.ts';
import { createLog } from './log.ts';

let db: TestDatabase;

before(async () => {
  db = await createTestDatabase();
});

after(() => db.drop());

function logged(write: (log: ReturnType<typeof createLog>) => void): string {
  let text = '';
  write(createLog({ level: 'trace', stream: { write: (line) => (text += line) } }));
  return text;
}

test('an error of the database is logged without the row that it failed on', async () => {
  await db.database.query('create table private (id int primary key, words text check (length(words) < 9))');
  const errors = [
    await db.database.query("insert into private values (1, 'heliotrope')").catch((error: unknown) => error),
    await db.database.query("select 'heliotrope'::integer").catch((error: unknown) => error),
    await db.database.query(`select '{"heliotrope'::json`).catch((error: unknown) => error),
  ];
  for (const error of errors) {
    const text = logged((log) => log.error({ err: fault('internal_error', { cause: error }) }, 'it failed'));
    assert.ok(!text.includes('heliotrope'), text);
    assert.match(text, /"code":"2[23]/);
    assert.match(text, /"stack"/);
  }
});

test('fields with the names of secrets are blanked, however they got there', () => {
  const text = logged((log) => {
    log.info({ authorization: 'Bearer heliotrope', headers: { cookie: 'heliotrope', 'set-cookie': 'heliotrope' } });
    log.warn({ request: { headers: { authorization: 'heliotrope' } }, body: { password: 'heliotrope' } });
    log.warn({ options: { connection: { password: 'heliotrope' } }, token: 'heliotrope', databaseUrl: 'heliotrope' });
  });
  assert.ok(!text.includes('heliotrope'), text);
  assert.equal(text.trim().split('\n').length, 3);
});

test('the copy of an error that the job queue tells of is logged as the error, without the row that it failed on', () => {
  const error = Object.assign(new Error('terminating connection'), { code: '57P01', detail: 'heliotrope' });
  const text = logged((log) => log.warn({ err: { ...error, message: error.message, stack: error.stack, queue: 'q' } }));
  assert.match(text, /"message":"terminating connection","code":"57P01","stack":"Error: terminating connection/);
  assert.ok(!text.includes('heliotrope'), text);
});

test('a chain of causes is told to its end, but not for ever', () => {
  const loop = new Error('a');
  loop.cause = new Error('b', { cause: loop });
  const text = logged((log) => log.error({ err: loop }));
  assert.ok(text.length < 20_000);
  assert.match(text, /"message":"b"/);
});

test('the whole log of a busy program, at its most talkative, holds no key, password, cookie or prompt', async () => {
  const word = `w${randomBytes(8).toString('hex')}`;
  const password = `P-${word}-longEnough`;
  const program = await startProgram({
    databaseUrl: db.url,
    env: { FANFOLD_LOG_LEVEL: 'trace', FANFOLD_OPERATOR_PORT: '0', FANFOLD_SIGNUP: 'open' },
  });
  const secrets = [word, new URL(db.url).password].filter((secret) => secret !== '');
  try {
    const key = program.key ?? '';
    const send = async (
      method: string,
      path: string,
      body?: unknown,
      headers: Record<string, string> = bearer(key),
    ) => {
      const response = await fetch(program.url + path, {
        method,
        headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
        signal: AbortSignal.timeout(180_000),
      });
      for (const cookie of response.headers.getSetCookie()) secrets.push(cookie.split(';')[0]?.split('=')[1] ?? word);
      return { status: response.status, text: await response.text() };
    };
    const chat = '/api/projects/local/chat/openai/v1/chat/completions';
    const question = { model: 'chat', messages: [{ role: 'user', content: word }], max_tokens: 8 };
    assert.equal((await send('POST', chat, question)).status, 200);
    assert.equal((await send('POST', chat, { ...question, stream: true })).status, 200);
    assert.equal((await send('POST', chat, { ...question, model: word })).status, 404);
    assert.equal((await send('POST', chat, `{"model": "${word}`)).status, 400);
    assert.equal((await send('GET', `/${word}?q=${word}`)).status, 404);
    assert.equal((await send('GET', '/api/v1/keys', undefined, bearer(`fnf_${word}`))).status, 401);
    const made = JSON.parse((await send('POST', '/api/v1/keys', { name: word })).text) as { key: string; id: string };
    secrets.push(made.key.slice(8, -4));
    await send('PATCH', `/api/v1/keys/${made.id}/deactivate`);
    const person = { email: `${word}@example.com`, password };
    assert.equal((await send('POST', '/api/v1/auth/sign-up/email', person, {})).status, 201);
    await send('POST', '/api/v1/auth/sign-in/email', { ...person, password: `${password}!` }, {});
    assert.equal((await send('POST', '/api/v1/auth/sign-in/email', person, {})).status, 200);
    assert.ok(secrets.length >= 4, 'no cookie was seen');
    // What the database refuses must not be quoted either.
    await db.database.query('alter table ledger rename to ledger_away');
    await send('POST', chat, question);
    await db.database.query('alter table ledger_away rename to ledger');
  } finally {
    await program.stop();
  }
  // The greeting shows the first key, once: that is its purpose.
  const log = program
    .output()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .join('\n');
  assert.ok(log.split('\n').length > 10, log);
  assert.match(log, /"operation":"chat.create"/);
  for (const secret of [...secrets, program.key?.slice(8, -4) ?? word])
    assert.ok(!log.includes(secret), `${secret}\n${log}`);
});
