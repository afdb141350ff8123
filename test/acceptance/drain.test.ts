import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { doctor } from '#billing';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import { type Program, patiently, startProgram } from '#test/program.ts';
import { type Asked, callModel, inTurn, type ProtocolRow, streamingRows } from '#test/protocols.ts';

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

function call(row: ProtocolRow, asked: Asked = {}): Promise<Response> {
  return callModel(row, { origin: program.url, owner: 'local', key: program.key ?? '' }, asked);
}

const long = { stream: true, longFor: 150, maxTokens: 3_900 };
const chat = inTurn(streamingRows, 0);

test('SIGTERM lets running streams finish, takes no new calls, writes the books and exits with 0', async () => {
  await (await patiently(() => call(chat))).text();
  const streams = await Promise.all(streamingRows.map((row) => call(row, long)));
  for (const { status } of streams) assert.equal(status, 200, program.output());
  const texts = streams.map((stream) => stream.text());
  const ended = program.stop();
  await assert.rejects(async () => {
    for (let n = 0; ; n++) {
      const row = inTurn(streamingRows, n);
      const response = await call(row);
      await response.text();
      if (response.status === row.refusal('service_unavailable')[0]) throw new Error('refused while draining');
    }
  });
  for (const [n, text] of (await Promise.all(texts)).entries())
    assert.ok(inTurn(streamingRows, n).stream.isWhole(text), text.slice(-300));
  assert.equal(await ended, 0, program.output());

  const ids = streams.map((stream) => stream.headers.get('x-request-id'));
  const charged = await database.database.query('select request_id from ledger where request_id = any($1)', [ids]);
  assert.equal(charged.length, streams.length);
  assert.deepEqual(await doctor(database.database), []);
});

test('it lets them finish also when whoever read its output has gone, such as a tee that the same Ctrl-C ended', async () => {
  await (await patiently(() => call(chat))).text();
  const stream = await call(chat, long);
  assert.equal(stream.status, 200, program.output());
  for (const output of [program.process.stdout, program.process.stderr]) output?.destroy();
  const ended = program.stop();
  assert.ok(chat.stream.isWhole(await stream.text()));
  assert.equal(await ended, 0);
});
