import assert from 'node:assert/strict';
import { test } from 'node:test';
import Type from 'typebox';
import { said } from './contract.ts';
import { projectAddress } from './page-query.ts';
import { validatorCompiler } from './validation.ts';

const schema = Type.Object({
  kind: Type.Optional(Type.Enum(['text', 'embedding'])),
  from: Type.Optional(Type.String({ format: 'date-time' })),
  project: projectAddress(said('Only of this project.', '仅限该项目。')),
});

test('a value of a filter that is not allowed is refused with what is', () => {
  const check = validatorCompiler({ schema, method: 'GET', url: '/things', httpPart: 'querystring' });
  const refusal = (query: unknown) => Object(check(query)).error?.message;
  assert.equal(refusal({ kind: 'image' }), 'kind: must be one of "text", "embedding".');
  assert.equal(refusal({ from: 'now' }), 'from: must be an RFC 3339 time, for example 2026-01-02T03:04:05Z.');
  assert.equal(refusal({ project: 'Ada' }), 'project: must be the address of a project, {owner}/{project}.');
  assert.equal(refusal({ kind: 'text', from: '2026-01-02T03:04:05Z', project: 'ada/support' }), undefined);
});
