import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { fc } from '#test/properties.ts';
import { type BatchRun, createBatcher, onBatchRun } from './batch.ts';

const turns = async (count: number) => {
  for (let i = 0; i < count; i++) await nextTurn();
};

test('whatever the timing, every item gets its own result, runs keep the order, and lanes and sizes are bounded', async () => {
  const submission = fc.record({ turn: fc.nat(12), runTurns: fc.nat(4) });
  const plan = fc.record({
    submissions: fc.array(submission, { maxLength: 60 }),
    lanes: fc.integer({ min: 1, max: 4 }),
    maxItems: fc.integer({ min: 1, max: 7 }),
    failingRuns: fc.uniqueArray(fc.nat(20)),
  });
  await fc.assert(
    fc.asyncProperty(plan, async ({ submissions, lanes, maxItems, failingRuns }) => {
      const started: number[] = [];
      const failed = new Set<number>();
      let running = 0;
      let runs = 0;
      const batcher = createBatcher<number, string>({
        lanes,
        maxItems,
        run: async (items) => {
          const fails = failingRuns.includes(runs++);
          running++;
          assert.ok(running <= lanes, 'more runs than lanes');
          assert.ok(items.length >= 1 && items.length <= maxItems, 'a run is empty or too large');
          started.push(...items);
          await turns(Math.max(...items.map((item) => submissions[item]?.runTurns ?? 0)));
          running--;
          if (fails) {
            for (const item of items) failed.add(item);
            throw new Error('this run fails');
          }
          return items.map((item) => `result of ${item}`);
        },
      });
      const outcomes = await submitAll(submissions, batcher.submit);
      for (const [item, outcome] of outcomes) {
        if (failed.has(item)) assert.equal(outcome.status, 'rejected');
        else assert.deepEqual(outcome, { status: 'fulfilled', value: `result of ${item}` });
      }
      assert.deepEqual(
        started,
        [...outcomes.keys()],
        'items left in another order than they came, or not exactly once',
      );
      assert.equal(batcher.depth(), 0);
      assert.equal(running, 0);
    }),
    { numRuns: 150 },
  );
});

async function submitAll(
  submissions: readonly { turn: number }[],
  submit: (item: number) => Promise<string>,
): Promise<Map<number, PromiseSettledResult<string>>> {
  const pending = new Map<number, Promise<PromiseSettledResult<string>>>();
  for (let turn = 0; turn <= 12; turn++) {
    for (const [item, submission] of submissions.entries())
      if (submission.turn === turn)
        pending.set(
          item,
          Promise.allSettled([submit(item)]).then(([outcome]) => outcome),
        );
    await nextTurn();
  }
  return new Map(await Promise.all([...pending].map(async ([item, outcome]) => [item, await outcome] as const)));
}

test('what is asked in one turn shares one run, and what arrives meanwhile shares the next', async () => {
  const sizes: number[] = [];
  const batcher = createBatcher<number, number>({
    lanes: 1,
    maxItems: 1000,
    run: async (items) => {
      sizes.push(items.length);
      await turns(3);
      return items;
    },
  });
  const first = Array.from({ length: 50 }, (_, item) => batcher.submit(item));
  await turns(2);
  const second = Array.from({ length: 70 }, (_, item) => batcher.submit(item));
  assert.equal(batcher.depth(), 70);
  await Promise.all([...first, ...second]);
  assert.deepEqual(sizes, [50, 70]);
});

test('a run with too few results rejects its items instead of leaving them waiting', async () => {
  const batcher = createBatcher<number, number>({ lanes: 1, maxItems: 10, run: async () => [] });
  await assert.rejects(batcher.submit(1), /This is a bug/);
});

test('runs of named batchers are told while somebody listens: size, wait of the oldest item, time, failure', async () => {
  const told: BatchRun[] = [];
  const stop = onBatchRun((run) => told.push(run));
  const [begun, others] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const run = async (items: readonly number[]) => {
    if (items.includes(0)) begun.resolve();
    await (items.includes(0) ? others.promise : sleep(20));
    if (items.includes(3)) throw new Error('no three');
    return items;
  };
  const [named, nameless] = [
    createBatcher({ name: 'test.told', lanes: 1, maxItems: 8, run }),
    createBatcher({ lanes: 1, maxItems: 8, run }),
  ];
  const first = named.submit(0);
  await begun.promise;
  const rest = [named.submit(1), named.submit(3), nameless.submit(1)];
  await sleep(20);
  others.resolve();
  await Promise.allSettled([first, ...rest]);
  stop();
  await named.submit(2);
  const mine = told.filter(({ batcher }) => batcher === 'test.told');
  assert.deepEqual(
    mine.map(({ size, failed }) => [size, failed]),
    [
      [1, false],
      [2, true],
    ],
  );
  assert.ok(mine.every(({ tookMs }) => tookMs >= 15));
  const [, second] = mine;
  assert.ok(second && second.waitedMs >= 5 && second.waitedMs < 60_000, `${second?.waitedMs}`);
});
