import assert from 'node:assert/strict';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { pythonProgram } from '#test/python.ts';
import { createLocalRunner } from './local-runner.ts';
import { eventsOf, follow } from './runner.fixture.ts';
import { realAttempt } from './trained.fixture.ts';
import { trainerProgram } from './trainer-program.ts';

test('the trainer learns from a snapshot, and says what the protocol lets it say', async (t) => {
  const run = await realAttempt('sft');
  t.after(run.remove);
  const python = await pythonProgram('python');
  const runner = createLocalRunner({ program: trainerProgram({ environment: process.env, python, threads: 1 }) });
  const followed = await follow(runner, run);
  assert.deepEqual(followed.outcome, { kind: 'exited', code: 0 }, JSON.stringify(followed.lines.slice(-20)));
  const events = eventsOf(followed);
  assert.deepEqual(
    events.map(({ seq }) => seq),
    events.map((_, index) => index + 1),
  );
  const names = events.map(({ event }) => event);
  assert.deepEqual(names.slice(0, 3), ['hello', 'prepared', 'started']);
  assert.equal(names.at(-1), 'finished');
  assert.equal(events.filter((event) => event.event === 'progress' && event.step === 3).length > 0, true);
  for (const event of events) if (event.event === 'artifact') await access(join(run.specFolder, 'out', event.path));
  assert.ok(names.includes('artifact') && names.includes('checkpoint') && names.includes('eval'));
});
