import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runChaos } from '../chaos/run.ts';

test('whatever is killed under load, every success has one charge, no failure has any, and service returns by itself', async () => {
  const victims = ['server', 'engine', 'postgres', 'server', 'engine'] as const;
  const report = await runChaos({ seed: 7, clients: 6, victims, pauseMs: 1500, leastSuccesses: 21 });
  assert.ok(report.successes > 20, JSON.stringify(report));
  assert.deepEqual(
    [report.unpaid, report.wronglyPaid, report.double, report.rejectedKeys, report.findings],
    [0, 0, 0, 0, []],
    JSON.stringify(report),
  );
  // A killed server may have charged what it could not deliver any more: never more than was in flight.
  assert.ok(report.unseen <= report.lost + victims.length * 2 + 10, JSON.stringify(report));
});
