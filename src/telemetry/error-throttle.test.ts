import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { createErrorThrottle } from './error-throttle.ts';

type Line = { msg: string; similar?: number; job?: string; err?: { message: string } };

function setUp() {
  const lines: Line[] = [];
  let nowMs = 0;
  let timers: { atMs: number; run: () => void }[] = [];
  const time = {
    nowMs: () => nowMs,
    later: (ms: number, run: () => void) => void timers.push({ atMs: nowMs + ms, run }),
  };
  // as: what pino writes of the entries below.
  const stream = { write: (line: string) => void lines.push(JSON.parse(line) as Line) };
  const log = pino({ hooks: { logMethod: createErrorThrottle(time) } }, stream);
  const pass = (ms: number) => {
    nowMs += ms;
    const due = timers.filter(({ atMs }) => atMs <= nowMs);
    timers = timers.filter(({ atMs }) => atMs > nowMs);
    for (const { run } of due) run();
  };
  return { log, lines, pass };
}

const away = () => Object.assign(new Error('connect ENOENT'), { code: 'ENOENT' });

test('a repeated error is logged at once, then once a minute with its count', () => {
  const { log, lines, pass } = setUp();
  for (let each = 0; each < 300; each += 1) {
    log.warn({ err: away(), task: 'tidy' }, 'not tidied yet');
    log.warn({ err: away() }, 'no look');
    pass(2_000);
  }
  pass(60_000);
  for (const msg of ['not tidied yet', 'no look']) {
    const told = lines.filter((line) => line.msg === msg);
    assert.equal(told[0]?.similar, undefined);
    assert.ok(told.length <= 12, String(told.length));
    assert.equal(
      told.reduce((sum, { similar = 0 }) => sum + 1 + similar, 0),
      300,
    );
  }
});

test('another error is logged at once', () => {
  const { log, lines } = setUp();
  log.warn({ err: away() }, 'no look');
  log.warn({ err: new Error('No room') }, 'no look');
  log.warn({ err: away(), task: 'sweep' }, 'no look');
  log.warn({ err: away(), task: 'tidy' }, 'no look');
  assert.equal(lines.length, 4);
});

test('lines that name a job, and lines that are no errors, are always logged', () => {
  const { log, lines } = setUp();
  for (let each = 0; each < 3; each += 1) {
    log.warn({ err: away(), job: 'job_1' }, 'a training job failed');
    log.info({ err: away() }, 'a model is loaded anew');
    log.warn('PostgreSQL ended unexpectedly and is started again');
  }
  assert.equal(lines.length, 9);
});
