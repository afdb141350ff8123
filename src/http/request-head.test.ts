import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isJsonContentType } from './request-head.ts';

test('JSON in UTF-8 is taken, whatever the spelling of its content type', () => {
  for (const type of [
    'application/json',
    'APPLICATION/JSON',
    'application/json; charset=utf-8',
    'application/json;charset="UTF-8"',
    'application/json ; charset=utf8; profile=x',
  ])
    assert.ok(isJsonContentType(type), type);
});

test('other types and other charsets are not taken for JSON', () => {
  for (const type of [
    '',
    'text/plain',
    'application/jsonx',
    'application/json; charset=utf-16',
    'application/json;charset=latin1',
    'text/json',
  ])
    assert.ok(!isJsonContentType(type), type);
});
