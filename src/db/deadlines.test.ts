import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fc } from '#test/properties.ts';
import { createDeadlines } from './deadlines.ts';

test('what ends in time is never late, and everything else is late on time and again, until it ends', (t) => {
  mock.timers.enable({ apis: ['setInterval'] });
  t.after(() => mock.timers.reset());
  const watched = fc.record({
    beginsMs: fc.nat(500),
    afterMs: fc.integer({ min: 1, max: 400 }),
    takesMs: fc.nat(1_500),
  });
  fc.assert(
    fc.property(fc.array(watched, { maxLength: 30 }), (all) => {
      const deadlines = createDeadlines();
      const lateMs = all.map((): number[] => []);
      let nowMs = 0;
      const open = new Map<number, { end: () => void }>();
      for (; nowMs <= 2_100; nowMs += 10, mock.timers.tick(10))
        for (const [index, { beginsMs, afterMs, takesMs }] of all.entries()) {
          if (Math.ceil(beginsMs / 10) * 10 === nowMs)
            open.set(
              index,
              deadlines.add(afterMs, () => lateMs[index]?.push(nowMs)),
            );
          if (Math.ceil((beginsMs + takesMs) / 10) * 10 === nowMs) {
            open.get(index)?.end();
            open.get(index)?.end();
          }
        }
      for (const [index, { beginsMs, afterMs, takesMs }] of all.entries()) {
        const times = (lateMs[index] ?? []).map((ms) => ms - beginsMs);
        assert.ok(
          times.every((ms) => ms <= takesMs + 20),
          'late after its end',
        );
        const [first = Number.POSITIVE_INFINITY] = times;
        if (takesMs > afterMs + 120) assert.ok(first >= afterMs && first <= afterMs + 120, `${first} for ${afterMs}`);
        else if (takesMs + 20 < afterMs) assert.deepEqual(times, []);
        for (const [n, ms] of times.entries())
          if (n > 0) assert.ok(ms - (times[n - 1] ?? 0) >= Math.min(afterMs, 50) - 10, 'again too soon');
      }
    }),
    { numRuns: 60 },
  );
});

test('nothing looks while there is nothing to look at', async (t) => {
  const begun = t.mock.method(globalThis, 'setInterval');
  const ended = t.mock.method(globalThis, 'clearInterval');
  const deadlines = createDeadlines();
  for (let times = 1; times <= 2; times++) {
    for (let n = 0; n < 100; n++) deadlines.add(1_000, () => {}).end();
    assert.equal(begun.mock.callCount(), times);
    while (ended.mock.callCount() < times) await sleep(20);
  }
});
