import assert from 'node:assert/strict';
import { test } from 'node:test';
import Type from 'typebox';

import { nullable } from '../page-query.ts';
import { createSchemaWriter } from './write-schema.ts';

const name = 'Its name.';
const write = (schema: Parameters<ReturnType<typeof createSchemaWriter>['write']>[0], language: 'en' | 'zh' = 'en') =>
  createSchemaWriter(language).write(schema);

test('a text is written in the language of the document, the other one never shows', () => {
  const schema = Type.Object({ name: Type.String({ description: name }) }, { description: 'A thing.' });
  assert.deepEqual(write(schema), {
    type: 'object',
    description: 'A thing.',
    required: ['name'],
    properties: { name: { type: 'string', description: 'Its name.' } },
  });
  assert.deepEqual(write(schema, 'zh').properties, { name: { type: 'string', description: '名称。' } });
});

test('a field may be called description, and examples stay as they are', () => {
  const schema = Type.Object({ description: Type.String({ description: name }) }, { examples: [{ 'x-zh': 'kept' }] });
  assert.deepEqual(write(schema), {
    type: 'object',
    required: ['description'],
    properties: { description: { type: 'string', description: 'Its name.' } },
    examples: [{ 'x-zh': 'kept' }],
  });
});

test('a named schema becomes a component, however often it is used', () => {
  const writer = createSchemaWriter('en');
  const thing = Type.Object({ name: Type.String() }, { $id: 'Thing' });
  assert.deepEqual(writer.write(Type.Array(thing)), { type: 'array', items: { $ref: '#/components/schemas/Thing' } });
  assert.deepEqual(writer.write(thing), { $ref: '#/components/schemas/Thing' });
  assert.deepEqual(writer.components(), {
    Thing: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
  });
});

test('two different schemas cannot share a name, and a name is one', () => {
  const writer = createSchemaWriter('en');
  writer.write(Type.Object({ a: Type.String() }, { $id: 'Thing' }));
  assert.throws(() => writer.write(Type.Object({ b: Type.String() }, { $id: 'Thing' })), /Thing/);
  assert.throws(() => writer.write(Type.Object({}, { $id: 'not a name' })), /PascalCase/);
});

test('what may be null says so in its type, with both texts', () => {
  assert.deepEqual(write(nullable(Type.String({ description: name }), 'Null: none.')), {
    type: ['string', 'null'],
    description: 'Its name. Null: none.',
  });
  assert.deepEqual(write(nullable(Type.Enum(['a', 'b']))), { type: ['string', 'null'], enum: ['a', 'b', null] });
  assert.deepEqual(write(nullable(Type.Literal(1))), { type: ['number', 'null'], enum: [1, null] });
  assert.deepEqual(write(nullable(Type.Union([Type.String(), Type.Integer()], { description: name }))), {
    description: 'Its name.',
    anyOf: [{ type: 'string' }, { type: 'integer' }, { type: 'null' }],
  });
  assert.deepEqual(write(nullable(Type.Object({}, { $id: 'Thing' }), name)), {
    description: 'Its name.',
    anyOf: [{ $ref: '#/components/schemas/Thing' }, { type: 'null' }],
  });
});

test('a choice of words is an enumeration, a record an object of anything', () => {
  assert.deepEqual(write(Type.Union([Type.Literal('a'), Type.Literal('b')])), { enum: ['a', 'b'], type: 'string' });
  assert.deepEqual(write(Type.Record(Type.String(), Type.Unknown())), { type: 'object', additionalProperties: true });
  assert.deepEqual(write(Type.Record(Type.String(), Type.Integer())), {
    type: 'object',
    additionalProperties: { type: 'integer' },
  });
});
