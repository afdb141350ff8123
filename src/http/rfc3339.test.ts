import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readRfc3339 } from './rfc3339.ts';

test('a time is read as it was meant, to the millisecond', () => {
  for (const [text, meant] of [
    ['2028-02-29T00:00:00Z', '2028-02-29T00:00:00.000Z'],
    ['2027-01-01t00:00:00.123456789z', '2027-01-01T00:00:00.123Z'],
    ['2027-01-01T00:30:00+23:59', '2026-12-31T00:31:00.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
  ] as const)
    assert.equal(readRfc3339(text)?.toISOString(), meant);
});

test('what no calendar or clock shows is not moved to what it does show', () => {
  for (const text of [
    '2027-02-29T00:00:00Z',
    '2027-04-31T00:00:00Z',
    '2027-02-28T24:00:00Z',
    '2016-12-31T23:59:60Z',
    '2027-01-01T00:00:00+24:00',
    '9999-12-31T23:59:59-01:00',
    '0000-01-01T00:00:00+01:00',
    '2027-01-01T00:00:00',
    '2027-01-01 00:00:00Z',
    '2027-01-01',
    '2027-01-01T00:00:00Z[Europe/Berlin]',
    'now',
    '',
  ])
    assert.equal(readRfc3339(text), null, text);
});
