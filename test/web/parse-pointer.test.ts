import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parsePointer } from '../../web/src/rooms/examples/parse-pointer.ts';

test('a place in a row is told by its column and what is inside of it, counted as people count', () => {
  assert.deepEqual(parsePointer('/answer'), { name: 'answer', inside: [] });
  assert.deepEqual(parsePointer('/messages/0/content'), { name: 'messages', inside: [1, 'content'] });
  assert.deepEqual(parsePointer('/a~1b~0c'), { name: 'a/b~c', inside: [] });
  assert.equal(parsePointer(''), null, 'the readBody row');
});
