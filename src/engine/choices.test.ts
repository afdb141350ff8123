import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generateChoices } from './choices.ts';
import type { Delta, Finished } from './port.ts';
import { sampling } from './remote/chat-call.fixture.ts';

const end = (reason: Finished['reason'], completionTokens: number): Finished => ({
  reason,
  usage: { promptTokens: 9, completionTokens, reasoningTokens: 1, cachedTokens: 3 },
  activeMs: 2,
});

test('several answers follow each other, each with its seed, and the prompt counts once', async () => {
  const seeds: (number | null)[] = [];
  const deltas: Delta[] = [];
  const ends = [end('length', 5), end('stop', 2), end('stop', 3)];
  const finished = await generateChoices(
    { choices: 3, sampling: { ...sampling, seed: 7 } },
    (delta) => deltas.push(delta),
    async (choice) => {
      seeds.push(choice.sampling.seed);
      choice.onDelta({ type: 'content', text: 'a' });
      assert.equal(choice.isLast, seeds.length === 3);
      return ends[seeds.length - 1] ?? assert.fail();
    },
  );
  assert.deepEqual(seeds, [7, 8, 9]);
  assert.deepEqual(
    deltas.map(({ choice = 0 }) => choice),
    [0, 1, 2],
  );
  assert.partialDeepStrictEqual(finished, {
    reason: 'length',
    usage: { promptTokens: 9, completionTokens: 10, reasoningTokens: 3, cachedTokens: 3 },
    activeMs: 6,
  });
  assert.deepEqual(
    finished.choices?.map(({ reason }) => reason),
    ['length', 'stop', 'stop'],
  );
});

test('a caller who leaves ends all answers', async () => {
  let runs = 0;
  const finished = await generateChoices(
    { choices: 8, sampling },
    () => assert.fail(),
    async () => {
      runs += 1;
      return runs === 2 ? end('cancelled', 1) : end('stop', 4);
    },
  );
  assert.deepEqual([runs, finished.reason, finished.usage.completionTokens], [2, 'cancelled', 5]);
});
