import assert from 'node:assert/strict';
import { test } from 'node:test';
import Type from 'typebox';
import { convertQuery } from './query.ts';

const schema = Type.Object({
  limit: Type.Optional(Type.Integer()),
  share: Type.Optional(Type.Number()),
  archived: Type.Optional(Type.Boolean()),
  q: Type.Optional(Type.String()),
});

test('numbers and booleans of a query are read where the schema asks for them, and only what is clearly one', () => {
  assert.deepEqual(convertQuery(schema, { limit: '25', share: '0.5', archived: 'true', q: '7', other: '1' }), {
    limit: 25,
    share: 0.5,
    archived: true,
    q: '7',
    other: '1',
  });
  for (const unclear of ['', '1e3', '0x10', ' 1', '2.5', '9'.repeat(30), 'NaN', 'true'])
    assert.deepEqual(convertQuery(schema, { limit: unclear }), { limit: unclear });
  for (const unclear of ['1', 'TRUE', 'yes', ''])
    assert.deepEqual(convertQuery(schema, { archived: unclear }), { archived: unclear });
  assert.deepEqual(convertQuery(schema, { limit: ['1', '2'] }), { limit: ['1', '2'] });
});
