import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { type FaultName, type FaultRow, fault, faultRows } from './faults.ts';

const document = readFileSync(new URL('../../docs/errors.md', import.meta.url), 'utf8');
const catalogue: [string, FaultRow][] = Object.entries(faultRows);

/** The rows of the table: condition, status, code, x-should-retry, when, what to do. */
const documented = document
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll('`', '')),
  );

test('docs/errors.md lists every row of the catalogue and nothing else, with the same status, code and retry advice', () => {
  const written = documented.map(([name, status, code, retry]) => [name, Number(status), code, retry]);
  const coded = catalogue.map(([name, row]) => [name, row.status, row.code, String(row.shouldRetry ?? '')]);
  assert.deepEqual(written.sort(), coded.sort());
});

test('every documented error says when it happens and what to do', () => {
  for (const [name, , , , when = '', advice = ''] of documented)
    assert.ok(when.length > 20 && advice.length > 8, `${name} says too little`);
});

test('no status of the catalogue is one that fetch treats as a network error or that an intermediary re-sends', () => {
  for (const [, { status }] of catalogue) assert.ok(status >= 400 && ![407, 421, 425, 502, 504].includes(status));
});

test('only model_warming invites a retry', () => {
  const inviting = catalogue.filter(([, row]) => row.shouldRetry === true).map(([name]) => name);
  assert.deepEqual(inviting, ['model_warming']);
});

test('a fault shows its own message when it has one and never the internal note', () => {
  const shown = fault('internal_error', { internal: 'password=hunter2' });
  assert.equal(shown.message, faultRows.internal_error.message);
  assert.equal(fault('not_found', { message: 'No key.' }).message, 'No key.');
  const name: FaultName = 'model_not_installed';
  assert.equal(fault(name).row.code, 'model_not_found');
});
