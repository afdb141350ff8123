import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { doctor } from '#billing';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import { longAnswer } from '#test/long-answer.ts';
import { type Program, patiently, startProgram } from '#test/program.ts';

let database: TestDatabase;
let program: Program;

beforeEach(async () => {
  database = await createTestDatabase();
  // As long as the streams take, however busy the machine is: what they are cut off after is another test's matter.
  program = await startProgram({ databaseUrl: database.url, env: { FANFOLD_DRAIN_SECONDS: '300' } });
});

afterEach(async () => {
  await program?.kill();
  await database?.drop();
});

function call(extra: object): Promise<Response> {
  return fetch(`${program.url}/api/projects/local/chat/openai/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${program.key}` },
    body: JSON.stringify({
      model: 'chat',
      messages: [{ role: 'user', content: 'Hello!' }],
      reasoning_effort: 'none',
      ...extra,
    }),
    signal: AbortSignal.timeout(180_000),
  });
}

test('SIGTERM lets running streams finish, takes no new calls, writes the books and exits with 0', async () => {
  await (await patiently(() => call({}))).text();
  const streams = await Promise.all([call(longAnswer), call(longAnswer), call(longAnswer)]);
  for (const { status } of streams) assert.equal(status, 200, program.output());
  const texts = streams.map((stream) => stream.text());
  const ended = program.stop();
  await assert.rejects(async () => {
    for (;;) {
      const response = await call({});
      await response.text();
      if (response.status === 503) throw new Error('refused while draining');
    }
  });
  for (const text of await Promise.all(texts)) assert.ok(text.endsWith('data: [DONE]\n\n'), text.slice(-300));
  assert.equal(await ended, 0, program.output());

  const ids = streams.map((stream) => stream.headers.get('x-request-id'));
  const charged = await database.database.query('select request_id from ledger where request_id = any($1)', [ids]);
  assert.equal(charged.length, streams.length);
  assert.deepEqual(await doctor(database.database), []);
});

test('it lets them finish also when whoever read its output has gone, such as a tee that the same Ctrl-C ended', async () => {
  await (await patiently(() => call({}))).text();
  const stream = await call(longAnswer);
  assert.equal(stream.status, 200, program.output());
  for (const output of [program.process.stdout, program.process.stderr]) output?.destroy();
  const ended = program.stop();
  assert.ok((await stream.text()).endsWith('data: [DONE]\n\n'));
  assert.equal(await ended, 0);
});
