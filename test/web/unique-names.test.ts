import assert from 'node:assert/strict';
import { test } from 'node:test';
import { uniqueNames } from '../../web/src/ui/unique-names.ts';

const dayOf = (at: string) => at.slice(0, 10);
const made = (id: string, name: string) => ({ id, name, created_at: '2026-03-01T10:00:00Z' });

test('things of the same name are told apart by their day and the end of their ids, and others keep their name', () => {
  const names = uniqueNames(
    [made('ds_01AAAA', 'Tickets'), made('ds_01BBBB', 'Tickets'), made('ds_01CCCC', 'Clicks')],
    dayOf,
  );
  assert.deepEqual([...names.values()], ['Tickets · 2026-03-01 · …AAAA', 'Tickets · 2026-03-01 · …BBBB', 'Clicks']);
});
