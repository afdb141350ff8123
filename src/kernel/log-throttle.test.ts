import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type LogKind, LogThrottle } from './log-throttle.ts';

/** Time that passes only by hand, and what has been logged by then. */
function setUp({ mostKinds = 10 } = {}) {
  let nowMs = 0;
  let timers: { atMs: number; run: () => void }[] = [];
  const logged: [line: string, similar: number][] = [];
  const throttle = new LogThrottle<string>({
    log: (line, others) => void logged.push([line, others]),
    nowMs: () => nowMs,
    later: (ms, run) => void timers.push({ atMs: nowMs + ms, run }),
    everyMs: 1_000,
    mostKinds,
  });
  const pass = (ms: number, { isStuck = false } = {}) => {
    nowMs += ms;
    if (isStuck) return;
    const due = timers.filter(({ atMs }) => atMs <= nowMs);
    timers = timers.filter(({ atMs }) => atMs > nowMs);
    for (const { run } of due) run();
  };
  const take = (line: string, kind: Partial<LogKind> = {}) =>
    throttle.take({ name: line.charAt(0), wider: 'wide', atOnce: 1, ...kind }, line);
  return { throttle, take, pass, logged, timers: () => timers.length };
}

test('of similar lines the first is logged at once, and one for all others when the time is over', () => {
  const { take, pass, logged } = setUp();
  for (let each = 1; each <= 163; each += 1) take(`a${each}`);
  pass(999);
  assert.deepEqual(logged, [['a1', 0]]);
  pass(1);
  assert.deepEqual(logged, [
    ['a1', 0],
    ['a2', 161],
  ]);
});

test('a storm that lasts is one line for each span of time, and every line of it is counted exactly once', () => {
  const { take, pass, logged } = setUp();
  for (let each = 0; each < 5_000; each += 1) {
    take('a');
    pass(2);
  }
  pass(10_000);
  assert.ok(logged.length <= 12, String(logged.length));
  assert.equal(
    logged.reduce((sum, [, others]) => sum + 1 + others, 0),
    5_000,
  );
});

test('a line that comes before a late timer carries the count, which is not logged twice', () => {
  const { take, pass, logged } = setUp();
  for (const line of ['a1', 'a2', 'a3']) take(line);
  pass(1_500, { isStuck: true });
  take('a4');
  pass(5_000);
  assert.deepEqual(logged, [
    ['a1', 0],
    ['a4', 2],
  ]);
});

test('lines of other kinds do not wait for each other, and each waits no longer than its own time', () => {
  const { take, pass, logged } = setUp();
  take('a1');
  pass(400);
  for (const line of ['b1', 'a2', 'b2']) take(line);
  pass(600);
  assert.deepEqual(logged.slice(2), [['a2', 0]]);
  pass(400);
  assert.deepEqual(logged.slice(3), [['b2', 0]]);
});

test('no timer runs while nothing waits, and one at most otherwise', () => {
  const { take, pass, timers } = setUp();
  take('a');
  take('b');
  assert.equal(timers(), 0);
  for (const line of ['a', 'b', 'b']) take(line);
  assert.equal(timers(), 1);
  pass(1_000);
  assert.equal(timers(), 0);
});

test('a kind that is logged several times at once waits only after that', () => {
  const { take, pass, logged } = setUp();
  for (const line of ['a1', 'a2', 'a3', 'a4', 'a5']) take(line, { atOnce: 3 });
  pass(1_000);
  assert.deepEqual(logged, [
    ['a1', 0],
    ['a2', 0],
    ['a3', 0],
    ['a4', 1],
  ]);
});

test('what waits at the end is logged then, once', () => {
  const { throttle, take, pass, logged } = setUp();
  for (const line of ['a1', 'a2', 'a3', 'b1']) take(line);
  throttle.flush();
  pass(5_000);
  assert.deepEqual(logged.slice(2), [['a2', 1]]);
});

test('lines that all differ share a kind once there are too many, and no count is lost; later they are logged each for itself again', () => {
  const { take, pass, logged } = setUp({ mostKinds: 3 });
  for (let each = 0; each < 100; each += 1) take(String(each), { name: String(each) });
  pass(1_000);
  assert.deepEqual(logged, [
    ['0', 0],
    ['1', 0],
    ['2', 0],
    ['3', 0],
    ['4', 95],
  ]);
  pass(1_000);
  take('x', { name: 'x' });
  take('y', { name: 'y' });
  assert.deepEqual(logged.slice(5), [
    ['x', 0],
    ['y', 0],
  ]);
});
