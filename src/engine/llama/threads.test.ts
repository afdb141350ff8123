import assert from 'node:assert/strict';
import { availableParallelism } from 'node:os';
import { test } from 'node:test';
import { countCores, defaultThreads } from './engine-process.ts';

test('hyper-threads of one core count once, equal core numbers of two packages twice', () => {
  const entry = (packageId: number, core: number) =>
    `processor : 0\nphysical id\t: ${packageId}\ncore id\t\t: ${core}\n`;
  assert.equal(countCores([entry(0, 0), entry(0, 1), entry(0, 0), entry(0, 1)].join('\n')), 2);
  assert.equal(countCores([entry(0, 0), entry(1, 0)].join('\n')), 2);
  assert.equal(countCores('Processor : ARMv8\n'), 0);
});

test('the default leaves a core free and is never less than one thread', () => {
  assert.ok(defaultThreads() >= 1);
  assert.ok(defaultThreads() <= Math.max(1, availableParallelism() - 1));
});
