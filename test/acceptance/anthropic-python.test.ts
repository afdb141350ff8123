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

test("Anthropic's client for Python gets answers, streams, calls of tools, parsed objects, counts and its own errors", async () => {
  const folder = join(root, 'test/support/anthropic');
  const bin = await pythonEnvironment('anthropic', join(folder, 'requirements.txt'), '--no-deps');
  const base = `${program.url}/api/projects/local/chat/anthropic`;
  const { stdout } = await run(join(bin, 'python'), [join(folder, 'ask.py'), base, program.key ?? '']);
  const { text, counted, charged, ...told } = JSON.parse(stdout);
  assert.ok(text.length > 3);
  assert.equal(counted, charged);
  assert.deepEqual(told, {
    stop: 'end_turn',
    stream: [
      ['message_start', 'message_stop'],
      ['thinking', 'text'],
    ],
    cities: ['Paris'],
    parsed: true,
    models: ['chat'],
    errors: [
      ['AuthenticationError', 'authentication_error', 401],
      ['NotFoundError', 'not_found_error', 404],
      ['BadRequestError', 'invalid_request_error', 400],
    ],
  });
});
