import type { Sql } from '#db';
import { type CursorCodec, fault, type ListPage, type PageRequest } from '#kernel';
import type { LedgerType, UsageFilter } from './filter.ts';
import { listKeyNames, listProjectPaths } from './names.store.ts';
import { endOfLedger, type LedgerRow, listLedgerRows } from './rows.store.ts';
import type { Span } from './span.ts';
import { type GroupBy, sumUsage, sumUsageBy, type UsageGroup, type UsageTotals } from './totals.store.ts';

export type UsagePage = ListPage<LedgerRow> & { totals: UsageTotals };

/**
 * Rows of an account's ledger, in the order in which its balance changed, the latest first; one more than `limit` when
 * another page follows. Throws `invalid_cursor` for the cursor of another account or other filters.
 */
export async function listUsage(
  { sql, cursors }: { sql: Sql; cursors: CursorCodec },
  filter: UsageFilter,
  { limit, cursor }: PageRequest,
): Promise<UsagePage> {
  const scope = scopeOf(filter);
  const before = cursor === null ? endOfLedger : placeOf(cursors.decode(scope, cursor));
  const [rows, totals] = await Promise.all([
    listLedgerRows(sql, filter, { before, limit: limit + 1 }),
    sumUsage(sql, filter),
  ]);
  return {
    rows,
    limit,
    totalCount: totals.rows,
    cursorOf: (row) => cursors.encode(scope, [String(row.seq)]),
    totals,
  };
}

function scopeOf({ accountId, since, until, keyId, projectId, model, types }: UsageFilter): string[] {
  const times = [since, until].map((time) => time?.toISOString() ?? '');
  return ['usage', accountId, ...times, keyId ?? '', projectId ?? '', model ?? '', types?.join() ?? ''];
}

function placeOf([seq]: readonly string[]): bigint {
  if (seq === undefined || !/^\d{1,19}$/.test(seq)) throw fault('invalid_cursor', { param: 'cursor' });
  return BigInt(seq);
}

/** What costs credits, and what gives the cost of it back. */
export const spendingTypes: readonly LedgerType[] = ['inference', 'training', 'index', 'refund'];

export type SpendingGroup = UsageGroup & {
  /** A name to show. */
  label: string | null;
};

export type Spending = { data: SpendingGroup[]; groups: number; totals: UsageTotals };

/** What an account spent, by day or by something else: what cost most first, at most `limit` of them. */
export async function summarizeSpending(
  sql: Sql,
  { accountId, ...span }: Span & { accountId: string },
  { by, limit }: { by: GroupBy; limit: number },
): Promise<Spending> {
  const { data, groups, totals } = await sumUsageBy(sql, { ...span, accountId, types: spendingTypes }, { by, limit });
  const values = data.flatMap(({ value }) => (value === null ? [] : [value]));
  if (by === 'key') {
    const names = await listKeyNames(sql, accountId, values);
    return { groups, totals, data: data.map((group) => ({ ...group, label: nameOf(names, group) })) };
  }
  if (by === 'project') {
    const paths = await listProjectPaths(sql, values);
    const byPath = data.map((group) => ({ ...group, value: nameOf(paths, group), label: nameOf(paths, group) }));
    return { groups, totals, data: byPath };
  }
  return { groups, totals, data: data.map((group) => ({ ...group, label: group.value })) };
}

function nameOf(names: ReadonlyMap<string, string>, { value }: UsageGroup): string | null {
  return value === null ? null : (names.get(value) ?? value);
}
