import type { FastifyInstance } from 'fastify';
import type { Sql } from '#db';
import { pageOf, readPage, type TypeBoxProvider } from '#http';
import type { Clock, CursorCodec, Micro } from '#kernel';
import { ledgerRowToWire, summaryQuery, summaryToWire, totalsToWire, usageQuery } from '../usage/usage.schema.ts';
import { listUsage, summarizeSpending } from '../usage/usage.ts';
import { readFilter, readSummarySpan } from '../usage/usage-request.ts';
import { readContract, summaryContract, usageContract } from './credits.contract.ts';
import { creditsToWire } from './credits.schema.ts';
import { readCredits } from './credits.ts';

export type CreditsDeps = {
  sql: Sql;
  cursors: CursorCodec;
  clock: Clock;
  /** Below it, credits are low. */
  lowMicro: Micro;
};

const defaultGroups = 100;

/** Balance, ledger and sums of the caller's account. */
export function creditsRoutes({ sql, cursors, clock, lowMicro }: CreditsDeps) {
  return async (app: FastifyInstance): Promise<void> => {
    const typed = app.withTypeProvider<TypeBoxProvider>();

    typed.get(
      '/api/v1/credits',
      { config: { operation: 'credits.read', contract: readContract } },
      async ({ principal }) => creditsToWire(await readCredits(sql, principal.accountId, lowMicro)),
    );

    typed.get(
      '/api/v1/credits/usage',
      { config: { operation: 'credits.usage', contract: usageContract }, schema: { querystring: usageQuery } },
      async ({ principal, query }) => {
        const filter = await readFilter(sql, principal.accountId, query);
        const page = await listUsage({ sql, cursors }, filter, readPage(query));
        return { ...pageOf({ ...page, toWire: ledgerRowToWire }), totals: totalsToWire(page.totals) };
      },
    );

    typed.get(
      '/api/v1/credits/usage/summary',
      { config: { operation: 'credits.summary', contract: summaryContract }, schema: { querystring: summaryQuery } },
      async ({ principal, query }) => {
        const now = new Date(clock.nowMs());
        const span = readSummarySpan(query, now);
        // The span of days is bounded already.
        const limit = query.group_by === 'day' ? Number.MAX_SAFE_INTEGER : (query.limit ?? defaultGroups);
        const { accountId } = principal;
        const spending = await summarizeSpending(sql, { accountId, ...span }, { by: query.group_by, limit });
        return summaryToWire(spending, { since: span.since, until: span.until ?? now });
      },
    );
  };
}
