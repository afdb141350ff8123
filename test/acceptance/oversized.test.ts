import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import { type Program, startProgram } from '#test/program.ts';

/** Texts that no context holds, over HTTP. */
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

type Answer = { status: number; error?: { code: string; param: string; message: string } };

async function post(project: string, route: string, body: object): Promise<Answer> {
  const response = await fetch(`${program.url}/api/projects/local/${project}/openai/v1/${route}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${program.key}` },
    body: JSON.stringify({ model: project, ...body }),
  });
  // as: the shape is what this file checks.
  return { ...((await response.json()) as Omit<Answer, 'status'>), status: response.status };
}

const large = 'The tall lamp stands beside the red door. '.repeat(22_000);
const user = (content: string) => [{ role: 'user', content }];

test('a text that cannot fit is refused with its field and how many tokens it has at least, on every route', async () => {
  const cases = [
    [
      'chat',
      'chat/completions',
      { messages: user(large) },
      'messages',
      /maximum context length is 4096 .* at least \d+/,
    ],
    ['chat', 'completions', { prompt: large }, 'prompt', /maximum context length is 4096 .* at least \d+/],
    ['chat', 'completions', { prompt: 'a'.repeat(900_000) }, 'prompt', /at least \d+ tokens: the prompt is too long/],
    ['search', 'embeddings', { input: large }, 'input', /an input has at least \d+ tokens/],
    ['search', 'embeddings', { input: ['x', large] }, 'input', /at least \d+ tokens/],
  ] as const;
  for (const [project, route, body, param, words] of cases) {
    const { status, error } = await post(project, route, body);
    assert.deepEqual([status, error?.code, error?.param], [400, 'invalid_request', param], error?.message);
    assert.match(error?.message ?? '', words);
  }
});

test('a small call is answered before a flood of texts that cannot fit has been refused', async () => {
  let refused = 0;
  const flood = Array.from({ length: 20 }, async () => {
    const { status } = await post('chat', 'chat/completions', { messages: user(large) });
    refused++;
    assert.ok(status === 400 || status === 503, `${status}`);
  });
  const { status } = await post('chat', 'chat/completions', { messages: user('Hi'), max_tokens: 1 });
  assert.equal(status, 200);
  assert.ok(refused < 20);
  await Promise.all(flood);
});
