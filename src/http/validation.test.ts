import assert from 'node:assert/strict';
import { test } from 'node:test';
import Type from 'typebox';

import { projectAddress } from './page-query.ts';
import { validatorCompiler } from './validation.ts';

const schema = Type.Object({
  kind: Type.Optional(Type.Enum(['text', 'embedding'])),
  from: Type.Optional(Type.String({ format: 'date-time' })),
  project: projectAddress('Only of this project.'),
});

test('a value of a filter that is not allowed is refused with what is', () => {
  const check = validatorCompiler({ schema, method: 'GET', url: '/things', httpPart: 'querystring' });
  const refusal = (query: unknown) => Object(check(query)).error?.message;
  assert.equal(refusal({ kind: 'image' }), 'kind: must be one of "text", "embedding".');
  assert.equal(refusal({ from: 'now' }), 'from: must be an RFC 3339 time, for example 2026-01-02T03:04:05Z.');
  assert.equal(refusal({ project: 'Ada' }), 'project: must be the address of a project, {owner}/{project}.');
  assert.equal(refusal({ kind: 'text', from: '2026-01-02T03:04:05Z', project: 'ada/support' }), undefined);
});

const body = Type.Object({
  split: Type.Optional(Type.Enum(['train', 'test'])),
  effort: Type.Optional(Type.Union([Type.Enum(['low', 'high']), Type.Null()])),
  ids: Type.Optional(Type.Array(Type.String({ minLength: 1 }))),
  tools: Type.Optional(Type.Array(Type.Object({ name: Type.String() }))),
  metadata: Type.Optional(Type.Record(Type.String(), Type.String())),
});

function faultOf(sent: unknown) {
  const check = validatorCompiler({ schema: body, method: 'POST', url: '/things', httpPart: 'body' });
  return Object(check(sent)).error ?? null;
}

function refused(sent: unknown) {
  const problem = faultOf(sent);
  return problem && `${problem.fault} ${problem.options.param}`;
}

test('a choice of the wrong type is a wrong shape, one that is not offered a value that is not allowed', () => {
  for (const split of [1, 1.5, true, null, [], {}]) assert.equal(refused({ split }), 'invalid_shape split');
  for (const split of ['', 'TRAIN', 'valid']) assert.equal(refused({ split }), 'invalid_request split');
  assert.equal(refused({ effort: 1 }), 'invalid_shape effort');
  assert.equal(refused({ effort: 'medium' }), 'invalid_request effort');
  for (const sent of [{ split: 'test' }, { effort: null }, { effort: 'low' }]) assert.equal(refused(sent), null);
});

test('a place in a list is named with brackets, a name with a dot, also where the name is a number', () => {
  assert.equal(refused({ ids: ['a', 2] }), 'invalid_shape ids[1]');
  assert.equal(refused({ ids: [''] }), 'invalid_request ids[0]');
  assert.equal(refused({ tools: [{ name: 'a' }, {}] }), 'invalid_shape tools[1].name');
  assert.equal(refused({ metadata: { 0: 1 } }), 'invalid_shape metadata.0');
  assert.equal(refused([]), 'invalid_shape undefined');
});

test('the detail of a wrong shape leads to its place, with numbers in lists as pydantic writes them', () => {
  const locOf = (sent: unknown) => faultOf(sent).options.detail[0].loc;
  assert.deepEqual(locOf({ ids: ['a', 2] }), ['body', 'ids', 1]);
  assert.deepEqual(locOf({ tools: [{ name: 'a' }, {}] }), ['body', 'tools', 1, 'name']);
  assert.deepEqual(locOf({ metadata: { 0: 1 } }), ['body', 'metadata', '0']);
  assert.deepEqual(locOf([]), ['body']);
});
