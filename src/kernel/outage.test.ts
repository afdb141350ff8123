import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createOutage } from './outage.ts';

test('a failure is logged when it begins, every ten minutes with how often it occurred, and when it is over', () => {
  const lines: string[] = [];
  let nowMs = 0;
  const outage = createOutage<string>({
    log: (failure, omitted) => lines.push(`${failure} ${omitted}`),
    logEnd: (failures) => lines.push(`over ${failures}`),
    nowMs: () => nowMs,
  });
  outage.works();
  for (const n of [1, 2, 3]) outage.fails(`a${n}`);
  nowMs = 600_000;
  for (const n of [4, 5]) outage.fails(`a${n}`);
  outage.works();
  outage.works();
  outage.fails('b');
  assert.deepEqual(lines, ['a1 0', 'a4 2', 'over 5', 'b 0']);
});
