import assert from 'node:assert/strict';
import { test } from 'node:test';
import { placeIn } from '../../web/src/rooms/examples/place-in.ts';

test('a place in a row is told by its column and what is inside of it, counted as people count', () => {
  assert.deepEqual(placeIn('/answer'), { name: 'answer', inside: [] });
  assert.deepEqual(placeIn('/messages/0/content'), { name: 'messages', inside: [1, 'content'] });
  assert.deepEqual(placeIn('/a~1b~0c'), { name: 'a/b~c', inside: [] });
  assert.equal(placeIn(''), null, 'the whole row');
});
