import assert from 'node:assert/strict';
import type { Sql } from '#db';
import { randomOfRun } from '#test/random.ts';
import type { UsageFilter } from './filter.ts';
import { endOfLedger, listLedgerRows } from './rows.store.ts';
import { type GroupBy, sumUsage, sumUsageBy, type UsageTotals } from './totals.store.ts';
import { matches, type PlainRow } from './usage.fixture.ts';

const { integer: randomInt } = randomOfRun();
const groupings: GroupBy[] = ['hour', 'day', 'type', 'key', 'project', 'model'];

function totalsOf(rows: readonly PlainRow[]): UsageTotals {
  const sum = (of: (row: PlainRow) => bigint) => rows.reduce((total, row) => total + of(row), 0n);
  return {
    rows: rows.length,
    requests: rows.filter(({ type }) => type === 'inference').length,
    activeUs: sum((row) => row.active_us),
    units: sum((row) => row.units),
    micro: sum((row) => row.micro),
  };
}

function groupOf(row: PlainRow, by: GroupBy): string | null {
  if (by === 'hour') return `${row.created_at.toISOString().slice(0, 13)}:00:00.000Z`;
  if (by === 'day') return row.created_at.toISOString().slice(0, 10);
  return { type: row.type, key: row.key_id, project: row.project_id, model: row.model }[by];
}

/** Compares what the readers say with the whole ledger of the same snapshot. */
export async function assertReadersAreRight(sql: Sql, filter: UsageFilter, whole: readonly PlainRow[]): Promise<void> {
  const expected = whole.filter((row) => matches(row, filter));
  assert.deepEqual(await sumUsage(sql, filter), totalsOf(expected));
  const by = groupings[randomInt(groupings.length)] ?? 'day';
  const { accountId, since, until, types } = filter;
  const { data, groups, totals } = await sumUsageBy(sql, { accountId, since, until, types }, { by, limit: 10_000 });
  const inSpan = whole.filter((row) => matches(row, { ...filter, keyId: null, projectId: null, model: null }));
  assert.deepEqual(totals, totalsOf(inSpan));
  const grouped = Map.groupBy(inSpan, (row) => groupOf(row, by));
  assert.deepEqual(
    new Map(data.map(({ value, ...rest }) => [value, rest])),
    new Map([...grouped].map(([value, rows]) => [value, totalsOf(rows)])),
  );
  assert.equal(groups, grouped.size);
  const middle = expected[randomInt(expected.length + 1)]?.seq ?? endOfLedger;
  for (const start of [endOfLedger, middle])
    assert.deepEqual(
      (await listLedgerRows(sql, filter, { before: start, limit: 7 })).map(({ seq }) => seq),
      expected
        .filter(({ seq }) => seq < start)
        .map(({ seq }) => seq)
        .slice(0, 7),
    );
}
