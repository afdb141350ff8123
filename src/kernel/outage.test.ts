import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createOutage } from './outage.ts';

test('a trouble is told when it begins, every ten minutes with how often it showed itself, and when it is over', () => {
  const lines: string[] = [];
  let nowMs = 0;
  const outage = createOutage<string>({
    tell: (trouble, alike) => lines.push(`${trouble} ${alike}`),
    tellEnd: (failures) => lines.push(`over ${failures}`),
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
