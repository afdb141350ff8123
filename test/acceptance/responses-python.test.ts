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

test("OpenAI's client and agents for Python get responses, streams, calls of tools, parsed objects and errors", async () => {
  const folder = join(root, 'test/support/openai');
  const bin = await pythonEnvironment('openai', join(folder, 'requirements.txt'), '--no-deps');
  const base = `${program.url}/api/projects/local/chat/openai/v1`;
  const { stdout } = await run(join(bin, 'python'), [join(folder, 'ask.py'), base, program.key ?? '']);
  const { text, ...told } = JSON.parse(stdout);
  assert.ok(text.length > 3);
  assert.deepEqual(told, {
    status: 'completed',
    usage: true,
    stream: [['response.created', 'response.in_progress', 'response.completed'], 'completed', true],
    parsed: true,
    agents: true,
    asked: ['Paris', 'Paris'],
    errors: [
      ['AuthenticationError', 'invalid_credentials', 401],
      ['NotFoundError', 'model_not_found', 404],
      ['BadRequestError', 'invalid_request', 400],
      ['BadRequestError', 'context_length_exceeded', 400],
    ],
  });
});
