import assert from 'node:assert/strict';
import { test } from 'node:test';
import { embeddingList } from './embedding-wire.ts';

test('base64 holds the same little-endian float32 values as the numbers', () => {
  const answer = { vectors: [Float32Array.of(0.25, -0.5, 1)], truncated: [true], promptTokens: 7, activeMs: 1 };
  const request = { model: 'e', inputs: ['x'], dimensions: null, role: 'document', truncate: true } as const;
  const list = (encoding: 'float' | 'base64') =>
    embeddingList({ ...request, inputs: [...request.inputs], encoding }, answer);
  assert.deepEqual(list('base64').data, [
    { object: 'embedding', index: 0, embedding: 'AACAPgAAAL8AAIA/', truncated: true },
  ]);
  assert.deepEqual(list('float'), {
    object: 'list',
    data: [{ object: 'embedding', index: 0, embedding: [0.25, -0.5, 1], truncated: true }],
    model: 'e',
    usage: { prompt_tokens: 7, total_tokens: 7 },
  });
});
