import assert from 'node:assert/strict';
import { createServer } from '#http';
import { newId, systemClock } from '#kernel';
import { createKeyAuthenticator, createKeyUsage } from '#keys';
import { bearer, seedAccount, seedKey } from '#test/accounts.ts';
import { createTestDatabase } from '#test/database.ts';
import { dashboardRoutes } from './dashboard.routes.ts';
import type { DashboardParts } from './parts.ts';
import type { WindowName } from './window.ts';

export const lowMicro = 1_000_000n;
/** In the middle of an hour and of a day. */
export const nowMs = Date.UTC(2026, 5, 15, 13, 30);
export const clock = { nowMs: () => nowMs, monotonicMs: () => 0 };
export const [hourMs, dayMs] = [3_600_000, 86_400_000];

/** Nothing has happened in the other rooms. */
export const emptyParts: DashboardParts = {
  training: async () => ({ active: [], queued: 0, failedInWindow: 0, lastSucceeded: null, hasAny: false }),
  imports: async () => ({ awaitingConfirmation: 0, failedInWindow: 0 }),
  feedback: async () => ({ pending: 0, needsJudgment: 0, promotedInWindow: 0 }),
  hasDataset: async () => false,
};

export type Call = { agoMs: number; micro?: bigint; activeMs?: number; model?: string; type?: string };

/** The routes of this room at that time, and accounts. */
export async function openDashboard() {
  const { database, drop } = await createTestDatabase();
  const usage = createKeyUsage({ sql: database, clock: systemClock });
  const authenticator = createKeyAuthenticator({ sql: database, usage });
  const server = createServer({ authenticator, probe: async () => {} });
  server.register(dashboardRoutes({ sql: database, clock, parts: emptyParts, lowMicro }));
  const origin = await server.listen({ host: '127.0.0.1', port: 0 });
  const close = async () => {
    await server.close();
    await drop();
  };

  /** An account that was made long ago, and what can happen to it. */
  async function someone({ balance = 5_000_000n } = {}) {
    const { accountId, slug } = await seedAccount(database);
    const { key, keyId } = await seedKey(database, { accountId });
    await database.query('update accounts set created_at = $2, balance_micro = $3 where id = $1', [
      accountId,
      new Date(nowMs - 400 * dayMs),
      balance,
    ]);
    await database.query('update api_keys set created_at = $2 where account_id = $1', [
      accountId,
      new Date(nowMs - dayMs),
    ]);
    const read = async (window?: WindowName) => {
      const query = window === undefined ? '' : `?window=${window}`;
      const response = await fetch(`${origin}/api/v1/dashboard${query}`, { headers: bearer(key) });
      const text = await response.text();
      assert.equal(response.status, 200, text);
      return JSON.parse(text);
    };
    const call = async (...calls: Call[]) => {
      for (const { agoMs, micro = 50n, activeMs = 100, model = 'chat', type = 'inference' } of calls)
        await database.query(
          `insert into ledger (id, account_id, type, micro, balance_after_micro, project_id, model_requested, model_served,
             request_id, key_id, active_ms, units, rate_micro_per_minute, held_micro, outcome, created_at)
           values ($1, $2, $3, $4, 0, 'prj_1', $5, 'base', $6, $7, $8, 1, 30000, $9, 'succeeded', $10)`,
          [newId('led'), accountId, type, -micro, model, newId('req'), keyId, activeMs, micro, new Date(nowMs - agoMs)],
        );
    };
    const fail = (agoMs: number, state = 'failed') =>
      database.query(
        'insert into request_log (id, account_id, state, operation, finished_at) values ($1, $2, $3, $4, $5)',
        [newId('req', nowMs - agoMs), accountId, state, 'chat.create', new Date(nowMs - agoMs)],
      );
    return { accountId, slug, key, keyId, read, call, fail };
  }

  return { database, origin, close, someone };
}
