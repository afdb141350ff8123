import assert from 'node:assert/strict';
import { test } from 'node:test';
import Type from 'typebox';
import { ignoredFields } from './ignored-fields.ts';

const schema = Type.Object({
  name: Type.String(),
  limits: Type.Optional(Type.Object({ requests: Type.Integer() })),
  target: Type.Optional(
    Type.Union([Type.Object({ type: Type.Literal('a'), id: Type.String() }), Type.Object({ url: Type.String() })]),
  ),
  rows: Type.Optional(Type.Array(Type.Object({ text: Type.String() }))),
  data: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  free: Type.Optional(Type.Object({})),
  any: Type.Optional(Type.Unknown()),
  maybe: Type.Optional(Type.Union([Type.Object({ on: Type.Boolean() }), Type.Null()])),
});

test('fields that the schema does not know are named, nested ones with their path', () => {
  assert.deepEqual(ignoredFields(schema, { name: 'a', colour: 1, size: { x: 1 } }), ['colour', 'size']);
  assert.deepEqual(ignoredFields(schema, { limits: { requests: 1, speed: 2 } }), ['limits.speed']);
  assert.deepEqual(ignoredFields(schema, { maybe: { on: true, off: 1 } }), ['maybe.off']);
});

test('a field of any alternative is known, and a mistake in many items is named once', () => {
  assert.deepEqual(ignoredFields(schema, { target: { type: 'a', id: 'x', url: 'y', port: 1 } }), ['target.port']);
  const rows = Array.from({ length: 50 }, () => ({ text: 'a', tex: 'b' }));
  assert.deepEqual(ignoredFields(schema, { rows }), ['rows.tex']);
});

test('in values without a listed shape nothing is unknown', () => {
  assert.deepEqual(ignoredFields(schema, { data: { a: { b: 1 } }, free: { a: 1 }, any: { a: [{ b: 1 }] } }), []);
  for (const body of [null, 'text', 5, [], {}]) assert.deepEqual(ignoredFields(schema, body), []);
});

test('names that cannot stand in a header field are left out, and the list has an end', () => {
  assert.deepEqual(ignoredFields(schema, { 'a\r\nb': 1, '': 1, ü: 1, ['x'.repeat(65)]: 1, 'a, b': 1 }), []);
  const many = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`f${index}`, 1]));
  assert.equal(ignoredFields(schema, many).length, 20);
});
