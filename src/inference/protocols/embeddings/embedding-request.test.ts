import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '#kernel';
import { readEmbeddingRequest } from './embedding-request.ts';

test('a value of the wrong type or shape is 422 with its place in detail', () => {
  const good = { model: 'e', input: 'x' };
  const cases: [unknown, string | undefined][] = [
    [[], undefined],
    [undefined, undefined],
    [{ input: 'x' }, 'model'],
    [{ model: 'e' }, 'input'],
    [{ ...good, input: '' }, 'input'],
    [{ ...good, input: [] }, 'input'],
    [{ ...good, input: ['a', ''] }, 'input'],
    [{ ...good, input: [1, 2] }, 'input'],
    [{ ...good, input: null }, 'input'],
    [{ ...good, encoding_format: 'hex' }, 'encoding_format'],
    [{ ...good, input_type: 'passage' }, 'input_type'],
    [{ ...good, truncate: 'END' }, 'truncate'],
    [{ ...good, dimensions: '128' }, 'dimensions'],
    [{ ...good, dimensions: 1.5 }, 'dimensions'],
  ];
  for (const [body, param] of cases) {
    assert.throws(
      () => readEmbeddingRequest(body),
      (error: unknown) => {
        assert.ok(error instanceof Fault);
        assert.equal(error.row.status, 422);
        assert.equal(error.options.param, param);
        assert.ok(Array.isArray(error.options.detail));
        return true;
      },
    );
  }
});

test('token ids, flat or in lists, are refused with the words that say what to send instead', () => {
  for (const input of [
    [1, 2],
    [[1, 2], [3]],
    ['a', [1]],
  ]) {
    assert.throws(() => readEmbeddingRequest({ model: 'e', input }), /a list of strings, not token ids/);
  }
  assert.throws(() => readEmbeddingRequest({ model: 'e', input: [{}] }), /a string or a list of strings$/);
});

test('null options count as omitted, unknown fields are ignored, the default is float documents', () => {
  const options = { encoding_format: null, input_type: null, truncate: null, dimensions: null, user: 'u', other: 1 };
  assert.deepEqual(readEmbeddingRequest({ model: 'e', input: 'x', ...options }), {
    model: 'e',
    inputs: ['x'],
    encoding: 'float',
    dimensions: null,
    role: 'document',
    truncate: false,
  });
});
