import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inOrder, isFoundBy } from '../../web/src/app/frame/palette-order.ts';

test('a page is found by its name, also together with the name of its project, but not by that alone', () => {
  const page = { text: 'Saved calls', detail: 'Help desk' };
  for (const query of ['', 'saved', 'CALLS', 'help saved', 'sav desk']) assert.ok(isFoundBy(query, page), query);
  for (const query of ['help', 'desk', 'saved calls shop']) assert.ok(!isFoundBy(query, page), query);
});

test('what is of the current project comes first, each once, and only a few', () => {
  const found = (slug: string, id: string, href = id) => ({ owner: 'ada', slug, id, text: id, href });
  const current = { owner: 'ada', slug: 'b' };
  const all = [found('a', 'one'), found('b', 'two', '/list'), found('a', 'three'), found('b', 'two', '/page')];
  assert.deepEqual(
    inOrder(all, current).map(({ href }) => href),
    ['/page', 'one', 'three'],
  );
  const many = Array.from({ length: 30 }, (_, at) => found('a', `m${at}`));
  assert.equal(inOrder(many, current).length, 5);
});
