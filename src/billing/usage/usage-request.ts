import type { Static } from 'typebox';
import type { Sql } from '#db';
import { fault } from '#kernel';
import type { UsageFilter } from './filter.ts';
import { findProjectId } from './names.store.ts';
import type { summaryQuery, usageQuery } from './usage.schema.ts';

const dayMs = 24 * 3_600_000;
const defaultDays = 30;
const mostDays = 366;
/** With a margin for the whole hours and days around it. */
const latestMs = Date.UTC(9999, 0);

/** A project id that no project has: what is asked of a project that is not there has no rows. */
const noProject = 'prj_none';

/** The filter that a query asks for. A project that does not exist has no rows, just as one that was never called. */
export async function readFilter(sql: Sql, accountId: string, query: Static<typeof usageQuery>): Promise<UsageFilter> {
  const { key_id: keyId = null, model = null, type } = query;
  const [since, until] = [readTime(query, 'from'), readTime(query, 'to')];
  if (since && until) checkOrder(since, until);
  const projectId = await projectIdOf(sql, query.project);
  return { accountId, since, until, keyId, model, projectId, types: type === undefined ? null : [type] };
}

/** The span of a summary. Without an end it is open, and so has only whole days. */
export function readSummarySpan(query: Static<typeof summaryQuery>, now: Date): { since: Date; until: Date | null } {
  const until = readTime(query, 'to');
  const end = until ?? now;
  const since = readTime(query, 'from') ?? new Date(Math.floor(end.getTime() / dayMs - defaultDays + 1) * dayMs);
  checkOrder(since, end);
  if (query.group_by === 'day' && end.getTime() - since.getTime() > mostDays * dayMs)
    throw fault('invalid_request', { message: `from: at most ${mostDays} days can be listed by day.`, param: 'from' });
  return { since, until };
}

function readTime(query: { from?: string; to?: string }, param: 'from' | 'to'): Date | null {
  const text = query[param];
  if (text === undefined) return null;
  const time = new Date(text);
  // Before and after it there is no ledger, and PostgreSQL knows no year 0 and none of five digits in our words.
  if (!Number.isNaN(time.getTime())) return new Date(Math.min(Math.max(0, time.getTime()), latestMs));
  throw fault('invalid_request', { message: `${param}: expected an RFC 3339 time.`, param });
}

function checkOrder(since: Date, until: Date): void {
  if (since <= until) return;
  throw fault('invalid_request', { message: 'to: must not be before from.', param: 'to' });
}

async function projectIdOf(sql: Sql, path: string | undefined): Promise<string | null> {
  const [owner, project] = path?.split('/') ?? [];
  if (owner === undefined || project === undefined) return null;
  return (await findProjectId(sql, owner, project)) ?? noProject;
}
