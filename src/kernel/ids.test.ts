import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '#test/properties.ts';
import { ascendingIds, firstIdAt, isId, newId, timeOfId } from './ids.ts';

test('ids have the form prefix_ULID', () => {
  assert.match(newId('req'), /^req_[0-9A-HJKMNP-TV-Z]{26}$/);
});

test('ids of a later millisecond sort after earlier ones', () => {
  const time = fc.integer({ min: 0, max: 2 ** 48 - 1 });
  fc.assert(
    fc.property(time, time, (a, b) => {
      fc.pre(a !== b);
      assert.equal(newId('key', a) < newId('key', b), a < b);
    }),
  );
});

test('a hundred thousand ids of one millisecond are all different', () => {
  const ids = new Set(Array.from({ length: 100_000 }, () => newId('led', 1)));
  assert.equal(ids.size, 100_000);
});

test('ids that are made one after the other for one purpose ascend, and are ids like all others', () => {
  const next = ascendingIds('rev', 5);
  const ids = Array.from({ length: 5_000 }, next);
  assert.deepEqual(ids, [...new Set(ids)].sort());
  assert.ok(ids.every((id) => timeOfId('rev', id) === 5));
  assert.notEqual(ascendingIds('rev', 5)(), ids[0]);
});

test('an id tells when it was made, and nothing else does', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2 ** 48 - 1 }), (ms) => {
      const id = newId('req', ms);
      assert.equal(timeOfId('req', id), ms);
      assert.equal(timeOfId('key', id), null);
      assert.ok(firstIdAt('req', ms) <= id && id < firstIdAt('req', ms + 1));
    }),
  );
  for (const text of ['', 'req_', 'req_1', `req_${'8'.repeat(26)}`, `req_${'0'.repeat(27)}`, `req_${'u'.repeat(26)}`])
    assert.equal(timeOfId('req', text), null);
});

test('only what has the form of an id is one, of its own kind', () => {
  const id = newId('job');
  assert.ok(isId('job', id) && isId('job', firstIdAt('job', 0)));
  for (const text of [id.toLowerCase(), `${id}0`, id.slice(0, -1), `${id.slice(0, -1)}\0`, id.slice(4), 'x', ''])
    assert.equal(isId('job', text), false, text);
  assert.equal(isId('key', id), false);
});
