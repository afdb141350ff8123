import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import { type Program, startProgram } from '#test/program.ts';
import { pythonEnvironment } from '#test/python-environment.ts';
import { root } from '#test/source-tree.ts';

const run = promisify(execFile);

let database: TestDatabase;
let program: Program;

before(async () => {
  database = await createTestDatabase();
  program = await startProgram({ databaseUrl: database.url });
});

after(async () => {
  await program?.stop();
  await database?.drop();
});

test("Cohere's client for Python gets answers, streams, calls of tools, JSON and its own errors", async () => {
  const folder = join(root, 'test/support/cohere');
  const bin = await pythonEnvironment('cohere', join(folder, 'requirements.txt'), '--no-deps');
  const base = `${program.url}/api/projects/local/chat/cohere`;
  const { stdout } = await run(join(bin, 'python'), [join(folder, 'ask.py'), base, program.key ?? '']);
  const { text, streamed, tokens, stop, ...others } = JSON.parse(stdout);
  assert.ok(text.length > 3);
  assert.ok(streamed.length > 3);
  assert.ok(tokens > 0);
  assert.match(stop, /^(COMPLETE|MAX_TOKENS)$/);
  assert.deepEqual(others.events.slice(0, 2), ['message-start', 'message-end']);
  assert.deepEqual(others.call, ['get_weather', { city: 'Paris' }, 'TOOL_CALL']);
  assert.equal(others.after, true);
  assert.deepEqual(others.parsed, { capital: 'Paris' });
  assert.deepEqual(others.errors, [
    [404, 'model_not_found'],
    [400, 'invalid_request'],
  ]);
});
