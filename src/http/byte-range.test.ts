import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readRange } from './byte-range.ts';

const huge = '9'.repeat(20);

test('a range is read as RFC 9110 has it, however large its numbers are', () => {
  for (const [header, wanted] of [
    ['bytes=0-3', { start: 0, end: 3 }],
    ['Bytes=4-', { start: 4, end: 9 }],
    ['bytes=4-99', { start: 4, end: 9 }],
    [`bytes=4-${huge}`, { start: 4, end: 9 }],
    ['bytes=-3', { start: 7, end: 9 }],
    [`bytes=-${huge}`, { start: 0, end: 9 }],
    ['bytes=10-', 'unsatisfiable'],
    [`bytes=${huge}-`, 'unsatisfiable'],
    [`bytes=${'9'.repeat(400)}-`, 'unsatisfiable'],
    ['bytes=-0', 'unsatisfiable'],
  ] as const)
    assert.deepEqual(readRange(header, 10), wanted, header);
  assert.equal(readRange('bytes=-1', 0), 'unsatisfiable');
});

test('what is no range, or asks for several, gets the whole', () => {
  for (const header of [
    undefined,
    '',
    'bytes=',
    'bytes=-',
    'bytes=5-4',
    'bytes=20-19',
    'bytes=a-b',
    'bytes=0-1,3-4',
    'lines=0-1',
  ])
    assert.equal(readRange(header, 10), null, header);
});
