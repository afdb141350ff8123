import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { fc } from '#test/properties.ts';
import { type BatchRun, createBatcher, onBatchRun } from './batch.ts';

const nextTick = () => new Promise<void>((resolve) => process.nextTick(resolve));
const turns = async (count: number) => {
  for (let i = 0; i < count; i++) await nextTurn();
};

test('whatever the timing, every item gets its own result, runs keep the order, and lanes and sizes are bounded', async () => {
  const submission = fc.record({ turn: fc.nat(12), runTurns: fc.nat(4) });
  const plan = fc.record({
    submissions: fc.array(submission, { maxLength: 60 }),
    lanes: fc.integer({ min: 1, max: 4 }),
    maxItems: fc.integer({ min: 1, max: 7 }),
    patienceTurns: fc.nat(3),
    failingRuns: fc.uniqueArray(fc.nat(20)),
  });
  await fc.assert(
    fc.asyncProperty(plan, async ({ submissions, lanes, maxItems, patienceTurns, failingRuns }) => {
      const started: number[] = [];
      const failed = new Set<number>();
      let running = 0;
      let runs = 0;
      const batcher = createBatcher<number, string>({
        lanes,
        maxItems,
        patienceTurns,
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

test('a patient run waits for others while each turn brings some, and no longer than it may', async () => {
  const sizes: number[] = [];
  const run = async (items: readonly number[]) => {
    sizes.push(items.length);
    return items;
  };
  const batcher = createBatcher<number, number>({
    lanes: 1,
    maxItems: 1000,
    patienceTurns: 3,
    underWay: () => 100,
    run,
  });
  const comeInTurns = async (counts: readonly number[]) => {
    const all: Promise<number>[] = [];
    for (const count of counts) {
      for (let item = 0; item < count; item++) all.push(batcher.submit(item));
      await nextTurn();
    }
    await Promise.all(all);
    return sizes.splice(0);
  };
  assert.deepEqual(await comeInTurns([1]), [1]);
  assert.deepEqual(await comeInTurns([1, 5, 2]), [8], 'they come in turns that follow each other');
  assert.deepEqual(await comeInTurns([1, 0, 5]), [1, 5], 'a turn has brought none');
  assert.deepEqual(await comeInTurns([1, 1, 1, 1, 1, 1]), [4, 2], 'they do not stop coming');
});

test('a patient run leaves in the same turn once all that it waits for have come, or half of them where they share it well', async () => {
  for (const { some, last, ...bounds } of [
    { some: 1, last: 1, maxItems: 2, underWay: () => 100 },
    { some: 2, last: 1, maxItems: 100, underWay: () => 3 },
    { some: 15, last: 1, maxItems: 100, underWay: () => 31 },
    { some: 15, last: 5, maxItems: 100, underWay: () => 40 },
  ]) {
    const { sizes, submit } = patientBatcher(bounds);
    const first = submit(some);
    await nextTurn();
    assert.deepEqual(sizes, [], 'there is not enough yet');
    const rest = submit(last);
    await nextTick();
    assert.deepEqual(sizes, [some + last]);
    await Promise.all([...first, ...rest]);
  }
});

test('a patient run that nobody tells otherwise waits for as many as runs carried lately', async () => {
  const { sizes, submit } = patientBatcher({ maxItems: 100 });
  const inOneTurn = async (count: number) => {
    const all = submit(count);
    await nextTick();
    const hasBegun = sizes.length > 0;
    await Promise.all(all);
    assert.deepEqual(sizes.splice(0), [count]);
    return hasBegun;
  };
  await inOneTurn(8);
  assert.equal(await inOneTurn(8), true);
  assert.equal(await inOneTurn(4), false);
  for (let run = 0; run < 40; run++) await inOneTurn(4);
  assert.equal(await inOneTurn(4), true, 'what was usual before is forgotten');
});

function patientBatcher(bounds: { maxItems: number; underWay?: () => number }) {
  const sizes: number[] = [];
  const run = async (items: readonly number[]) => {
    sizes.push(items.length);
    return items;
  };
  const batcher = createBatcher<number, number>({ lanes: 1, patienceTurns: 50, ...bounds, run });
  return { sizes, submit: (count: number) => Array.from({ length: count }, (_, item) => batcher.submit(item)) };
}

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

test('who gave work for the time of a run has it done after the run began and before it ends, once', async () => {
  const told: string[] = [];
  const batcher = createBatcher<string, string>({
    lanes: 1,
    maxItems: 2,
    run: async (items) => {
      told.push(`begins ${items}`);
      await turns(3);
      told.push(`ends ${items}`);
      if (items.includes('c')) throw new Error('this run fails');
      return items;
    },
  });
  const submit = (item: string) => batcher.submit(item, () => told.push(`meanwhile ${item}`));
  const outcomes = await Promise.allSettled([submit('a'), batcher.submit('b'), submit('c'), submit('d')]);
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'fulfilled', 'rejected', 'rejected'],
  );
  assert.deepEqual(told, [
    ...['begins a,b', 'meanwhile a', 'ends a,b'],
    ...['begins c,d', 'meanwhile c', 'meanwhile d', 'ends c,d'],
  ]);
});
