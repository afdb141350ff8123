import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '#test/properties.ts';
import { readable } from '../../web/src/rooms/playground/readable-arguments.ts';

test('arguments are shown with line breaks, their digits and the order of their names', () => {
  assert.equal(
    readable('{"reason":"a, {b}: \\"c\\"","10":[12345678901234567890,1.0],"2":{},"n":[ ]}'),
    '{\n  "reason": "a, {b}: \\"c\\"",\n  "10": [\n    12345678901234567890,\n    1.0\n  ],\n  "2": {},\n  "n": []\n}',
  );
  assert.equal(readable('{"a": '), '{"a": ');
});

test('all others look as JSON.stringify writes them', () => {
  const property = fc.property(fc.json(), (text) => {
    const value: unknown = JSON.parse(text);
    assert.equal(readable(JSON.stringify(value)), JSON.stringify(value, null, 2));
    assert.equal(readable(JSON.stringify(value, null, 3)), JSON.stringify(value, null, 2));
  });
  fc.assert(property);
});
