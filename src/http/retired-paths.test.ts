import assert from 'node:assert/strict';
import { test } from 'node:test';
import { retired, successorOf } from './retired-paths.ts';

const template = '/api/projects/{owner}/{project}/openai/v1';

test('each retired path has its successor', () => {
  const cases: Record<string, string> = {
    '/api/projects/o/p/openai/models': '/api/projects/o/p/openai/v1/models',
    '/api/projects/o/p/openai/chat/completions': '/api/projects/o/p/openai/v1/chat/completions',
    '/api/projects/o/p/openai/completions': '/api/projects/o/p/openai/v1/completions',
    '/api/projects/o/p/openai/embeddings': '/api/projects/o/p/openai/v1/embeddings',
    '/v1/chat/completions': `${template}/chat/completions`,
    '/v1/models': `${template}/models`,
    '/openai/v1/completions': `${template}/completions`,
    '/openai/v1/embeddings': `${template}/embeddings`,
    '/api/keys': '/api/v1/keys',
    '/api/keys/key_1/activate': '/api/v1/keys/key_1/activate',
    '/api/me': '/api/v1/me',
    '/api/me/profile': '/api/v1/me/profile',
    '/api/base-models': '/api/v1/base-models',
  };
  for (const [path, successor] of Object.entries(cases)) assert.equal(successorOf(path), successor, path);
});

test('paths that only look alike are not retired', () => {
  for (const path of [
    '/api/v1/keys',
    '/api/keysx',
    '/api/meow',
    '/api/base-models/x',
    '/api/projects/o/p/openai/v1/models',
    '/api/projects/o/openai/models',
    '/v1/responses',
    '/v2/models',
    '/openai/models',
    '/',
  ])
    assert.equal(successorOf(path), null, path);
});

test('nothing of a hostile path reaches the Link header unescaped', () => {
  const successor = successorOf('/api/projects/o/p"> <x>\u00e9/openai/models') ?? '';
  const link = retired(successor).options.headers?.['link'] ?? '';
  assert.equal(link, '</api/projects/o/p%22%3E%20%3Cx%3E%E9/openai/v1/models>; rel="successor-version"');
});
