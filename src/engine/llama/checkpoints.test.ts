import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NativeCheckpoint, NativeContext } from './addon.ts';
import { type CheckpointLimits, Checkpoints, checkpointLimits, checkpointOf } from './checkpoints.ts';

const tokens = (...all: number[]) => Uint32Array.from(all);
const scope = 'a';

/** Checkpoints over a library that does nothing: each has so many bytes beside its tokens. */
function checkpointsWith(limits: CheckpointLimits, bytesOf: (tokens: number) => number = () => 100) {
  const disposed: number[] = [];
  let held: Uint32Array = tokens();
  let fails = false;
  const create = (): NativeCheckpoint => {
    let last = -1;
    return {
      init: async () => {
        if (fails) throw new Error('no room');
        last = held.length - 1;
      },
      dispose: () => disposed.push(last + 1),
      get size() {
        return bytesOf(last + 1);
      },
      get maxPos() {
        return last;
      },
    };
  };
  const checkpoints = new Checkpoints(create, limits);
  return {
    checkpoints,
    disposed,
    fail: () => (fails = true),
    take: (context: NativeContext, of: Uint32Array, holds = of) => {
      held = holds;
      return checkpoints.take(context, 0, { scope, tokens: of });
    },
    find: (context: NativeContext, of: Uint32Array, who = scope) =>
      checkpoints.find(context, { scope: who, tokens: of })?.tokens ?? 0,
  };
}

/** As the checkpoints see it. */
const contextOf = (restores: () => Promise<boolean>) => ({ restoreCheckpoint: restores }) as unknown as NativeContext;
const context = contextOf(async () => true);
const many = { count: 9, bytes: 9_000 };

test('the longest checkpoint of the same tokens, scope and context is found', async () => {
  const { take, find } = checkpointsWith(many);
  for (const each of [tokens(1, 2), tokens(1, 2, 3, 4), tokens(1, 2, 3), tokens(1, 9)]) await take(context, each);
  assert.equal(find(context, tokens(1, 2, 3, 5)), 3);
  assert.equal(find(context, tokens(1, 2, 3, 4)), 4);
  assert.equal(find(context, tokens(1, 9, 3, 4)), 2);
  assert.equal(find(context, tokens(1)), 0);
  assert.equal(find(context, tokens(1, 2, 3, 4), 'b'), 0);
  assert.equal(
    find(
      contextOf(async () => true),
      tokens(1, 2, 3, 4),
    ),
    0,
  );
});

test('restoring tells whether the sequence is as it was', async () => {
  for (const [restores, expected] of [
    [async () => true, true],
    [async () => false, false],
    [() => Promise.reject(new Error('disposed')), false],
  ] as const) {
    const { take, checkpoints } = checkpointsWith(many);
    const one = contextOf(restores);
    await take(one, tokens(1, 2));
    assert.equal(await checkpoints.find(one, { scope, tokens: tokens(1, 2, 3) })?.restore(3), expected);
  }
});

test('too many go, the least recently used one first; the same one is not taken twice', async () => {
  const { take, find, disposed, checkpoints } = checkpointsWith({ count: 3, bytes: 9_000 });
  for (const length of [1, 2, 3, 3, 3]) await take(context, new Uint32Array(length));
  assert.deepEqual([checkpoints.count, disposed], [3, []]);
  find(context, tokens(0));
  await take(context, tokens(0, 0, 0, 0));
  assert.deepEqual([checkpoints.count, disposed], [3, [2]]);
  assert.equal(find(context, tokens(0, 0)), 1);
});

test('what they take is bounded: older ones go, and one that is larger than all may be is not kept, nor a longer one taken', async () => {
  const { take, find, disposed, checkpoints } = checkpointsWith({ count: 99, bytes: 1_000 }, (count) => count * 96);
  await take(context, new Uint32Array(4));
  await take(context, new Uint32Array(5).fill(1));
  assert.deepEqual([checkpoints.bytes, disposed], [900, []]);
  await take(context, new Uint32Array(2).fill(2));
  assert.deepEqual([checkpoints.bytes, disposed], [700, [4]]);
  await take(context, new Uint32Array(11));
  await take(context, new Uint32Array(12));
  assert.deepEqual([checkpoints.bytes, disposed], [700, [4, 11]]);
  assert.equal(find(context, tokens(1, 1, 1, 1, 1, 1)), 5);
});

test('one that cannot be taken, or is of other tokens than thought, is not kept', async () => {
  const { take, fail, disposed, checkpoints } = checkpointsWith(many);
  await take(context, tokens(1, 2, 3), tokens(1, 2));
  fail();
  await take(context, tokens(1, 2, 3));
  assert.deepEqual([checkpoints.count, disposed.length], [0, 2]);
});

test('those of a context go with it', async () => {
  const { take, find, disposed, checkpoints } = checkpointsWith(many);
  const other = contextOf(async () => true);
  await take(context, tokens(1, 2));
  await take(other, tokens(1, 2, 3));
  checkpoints.forget(context);
  assert.deepEqual([checkpoints.count, disposed, find(other, tokens(1, 2, 3))], [1, [2], 3]);
});

test('a checkpoint stands in front of what a template adds for the answer, and only where reading again takes long', () => {
  assert.deepEqual([checkpointOf(71), checkpointOf(72), checkpointOf(1_000)], [0, 64, 992]);
  assert.deepEqual(checkpointLimits(8, 1e6), { count: 32, bytes: 64e6 });
  assert.deepEqual(checkpointLimits(1, 8e9), { count: 4, bytes: 1e9 });
});
