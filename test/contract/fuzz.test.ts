import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fuzz } from './fuzz.ts';

/** `npm run fuzz` does the same for longer, with a new seed each time. */
test('requests made from the contract get no 5xx and only answers that it allows', { timeout: 540_000 }, async (t) => {
  const results = await fuzz({ phases: 'examples,fuzzing', examples: 7, seed: 1, timeoutMs: 480_000 });
  for (const { run, operations, requests, seconds } of results)
    t.diagnostic(`${run.name}: ${operations.length} operations, ${requests} requests, ${seconds} s`);
  for (const { run, passed, report } of results) assert.ok(passed, `${run.name}:\n${report}`);
  for (const { run, operations, requests } of results)
    assert.ok(
      // Of operations without parameters there is little to draw.
      requests >= 4 * operations.length,
      `${run.name}: ${requests} requests for ${operations.length} operations`,
    );
});
