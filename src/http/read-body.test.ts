import assert from 'node:assert/strict';
import { test } from 'node:test';
import Type from 'typebox';
import { Compile } from 'typebox/schema';
import { Fault } from '#kernel';
import { fc } from '#test/properties.ts';
import { nullable } from './page-query.ts';
import { expecting, expectingWithin, readBody } from './read-body.ts';

const part = Type.Union([
  Type.Object({ type: Type.Literal('text'), text: Type.String() }),
  Type.Object({ type: Type.Enum(['image', 'file']), url: Type.String({ pattern: '^https:' }) }),
]);
const schema = Type.Object({
  model: Type.String({ minLength: 1 }),
  content: Type.Optional(Type.Union([Type.String(), Type.Array(part, { maxItems: 2 })])),
  level: Type.Optional(nullable(Type.Integer({ minimum: 1, maximum: 9 }))),
  share: Type.Optional(Type.Number({ minimum: 0 })),
  word: Type.Optional(Type.Enum(['a', 'b'])),
  flag: Type.Optional(Type.Boolean(expecting('say whether'))),
  only: Type.Optional(nullable(Type.Literal(1))),
  message: Type.Optional(
    Type.Union([
      Type.Object({ type: Type.Optional(Type.Literal('message')), role: Type.Enum(['user', 'assistant']) }),
      Type.Object({ type: Type.Literal('call'), name: Type.String() }),
    ]),
  ),
  notes: Type.Optional(Type.Record(Type.String(), Type.String({ maxLength: 3 }), { maxProperties: 2 })),
  tool: Type.Optional(
    Type.Union([
      Type.Object({ type: Type.Literal('function'), name: Type.String() }),
      Type.Object({ type: Type.String({ not: { enum: ['function'] } }) }),
    ]),
  ),
  texts: Type.Optional(
    Type.Array(
      Type.String(),
      expectingWithin((value) => `no list of texts: ${JSON.stringify(value)}`),
    ),
  ),
});

function problemOf(body: unknown): string | null {
  try {
    readBody(schema, body);
    return null;
  } catch (error) {
    assert.ok(error instanceof Fault);
    assert.equal(error.row.status, 400);
    const { param } = error.options;
    if (param !== undefined) assert.ok(error.message.startsWith(`${param}: `), error.message);
    return error.message;
  }
}

test('the first problem is told with the path of its field and what is expected there', () => {
  const cases: [Record<string, unknown>, string | null][] = [
    [{}, null],
    [{ model: '' }, 'model: expected a non-empty string'],
    [{ model: undefined }, 'model: expected a non-empty string'],
    [{ content: 'x' }, null],
    [{ content: 5 }, 'content: expected a string or a list of at most 2'],
    [{ content: [{ type: 'text' }] }, 'content[0].text: expected a string'],
    [{ content: [{ type: 'text', text: 'x' }, 7] }, 'content[1]: expected an object'],
    [{ content: [{ type: 'file', url: 'http://a' }] }, 'content[0].url: expected a string'],
    [{ content: [{ type: 'sound' }] }, 'content[0].type: expected one of "text", "image", "file"'],
    [{ content: [{ url: 'https://a' }] }, 'content[0].type: expected one of "text", "image", "file"'],
    [{ content: [1, 2, 3] }, 'content: expected a list of at most 2'],
    [{ level: null }, null],
    [{ level: 9 }, null],
    [{ level: 10 }, 'level: expected an integer of at most 9'],
    [{ level: 0 }, 'level: expected an integer of at least 1'],
    [{ level: 1.5 }, 'level: expected an integer'],
    [{ level: '1' }, 'level: expected an integer'],
    [{ share: -1 }, 'share: expected a number of at least 0'],
    [{ word: 'c' }, 'word: expected one of "a", "b"'],
    [{ word: 1 }, 'word: expected one of "a", "b"'],
    [{ flag: 0 }, 'flag: say whether'],
    [{ only: 2 }, 'only: expected 1'],
    [{ message: { role: 'user' } }, null],
    [{ message: { type: 'message', role: 'user' } }, null],
    [{ message: { role: 'system' } }, 'message.role: expected one of "user", "assistant"'],
    [{ message: { type: 'call' } }, 'message.name: expected a string'],
    [{ message: { type: 'other' } }, 'message.type: expected one of "message", "call"'],
    [{ texts: ['a', 1] }, 'texts: no list of texts: ["a",1]'],
    [{ notes: { a: 'xyz', b: '' } }, null],
    [{ notes: { a: 'wxyz' } }, 'notes.a: expected a string'],
    [{ notes: { a: 1 } }, 'notes.a: expected a string'],
    [{ notes: { a: '', b: '', c: '' } }, 'notes: expected an object'],
    [{ tool: { type: 'other', name: 1 } }, null],
    [{ tool: { type: 'function' } }, 'tool.name: expected a string'],
    [{ tool: { type: 1 } }, 'tool.type: expected a string'],
    [{ unknown: {} }, null],
  ];
  for (const [fields, message] of cases)
    assert.equal(problemOf({ model: 'm', ...fields }), message, JSON.stringify(fields));
  for (const body of [undefined, null, [], 'x', 5]) assert.equal(problemOf(body), 'The body must be a JSON object.');
});

test('any JSON value is read where it fits the schema, and refused where it does not, never anything else', () => {
  const validator = Compile(schema);
  const names = fc.constantFrom(
    'model',
    'content',
    'level',
    'share',
    'word',
    'flag',
    'only',
    'message',
    'texts',
    'notes',
    'tool',
  );
  const value = fc.oneof(
    fc.jsonValue(),
    fc.array(fc.dictionary(fc.constantFrom('type', 'role', 'text'), fc.jsonValue())),
  );
  const isRead = (body: unknown) => assert.equal(problemOf(body) === null, validator.Check(body));
  fc.assert(fc.property(fc.dictionary(names, value), isRead));
  const anyWord = fc.record({
    model: fc.constant('m'),
    content: fc.oneof(fc.string(), fc.array(value)),
    message: value,
  });
  fc.assert(fc.property(anyWord, isRead));
});
