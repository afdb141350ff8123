import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nearestName } from './nearest-name.ts';

const names = ['serve', 'keys', 'projects', 'models', 'doctor', 'migrate'];

test('a name with a slip of the hand is known again, whatever the slip was', () => {
  for (const [written, meant] of [
    ['dcotor', 'doctor'],
    ['doctr', 'doctor'],
    ['docttor', 'doctor'],
    ['boctor', 'doctor'],
    ['mdoels', 'models'],
    ['key', 'keys'],
    ['keys', 'keys'],
  ] as const)
    assert.equal(nearestName(written, names), meant);
});

test('what is like no name is taken for none', () => {
  for (const written of ['', 'x', 'launch', 'accounts']) assert.equal(nearestName(written, names), null);
  assert.equal(nearestName('keys', []), null);
});
