import assert from 'node:assert/strict';
import { test } from 'node:test';
import { notServed } from './not-served.ts';

const base = '/api/projects/o/p/openai/v1';

test('a client whose base URL is too long, too short or without a project is told how it ends', () => {
  for (const path of [
    `${base}/v1/chat/completions`,
    `${base}/chat/completions/chat/completions`,
    `${base}/chat/completions/models`,
    `${base}/chat/completions/`,
    '/api/projects/o/p/chat/completions',
    '/api/projects/o/p/v1/embeddings',
    '/api/projects/o/p/responses',
    '/v1/responses',
    '/responses/resp_1',
    `${base}/v1/responses`,
    '/api/v1/chat/completions',
    '/chat/completions',
    '/models',
    '/models/some-model',
  ])
    assert.match(notServed(path).message, /ends with \/api\/projects\/\{owner\}\/\{project\}\/openai\/v1\.$/, path);
});

test('a client that puts nothing between base URL and call is told to end its base URL with a slash', () => {
  for (const path of [`${base}models`, `${base}chat/completions`, `${base}responses`])
    assert.match(notServed(path).message, /needs a slash/, path);
});

test('other paths below the base URL are told what is served', () => {
  for (const path of [base, `${base}/`, `${base}/files`, `${base}/audio/speech`, `${base}/nope`, `${base}/responsesx`])
    assert.match(
      notServed(path).message,
      /Served are models, chat\/completions, completions, embeddings and responses/,
      path,
    );
});

test("a client of Anthropic's is told how its base URL ends, and what is served below", () => {
  const project = '/api/projects/o/p';
  for (const path of [
    ...['/v1/messages', '/v1/messages/count_tokens', '/messages', '/anthropic/v1/messages'],
    ...[`${project}/v1/messages`, `${project}/openai/v1/messages`, `${project}/anthropic/messages`],
    `${project}/anthropic/v1/v1/messages`,
  ])
    assert.match(notServed(path).message, /ends with \/api\/projects\/\{owner\}\/\{project\}\/anthropic;/, path);
  for (const path of ['/v1/messages/batches', '/v1/files', '/nope'])
    assert.match(notServed(`${project}/anthropic${path}`).message, /Served are v1\/messages, /, path);
});

test('elsewhere nothing is promised, and nothing of a path is repeated', () => {
  for (const path of ['/', '/nope', '/api/v1/nope', '/api/v1/responses/x', '/modelsx', '/api/projects/o'])
    assert.equal(notServed(path).message, 'There is nothing here.', path);
  assert.doesNotMatch(notServed('/<script>/chat/completions').message, /script/);
});
