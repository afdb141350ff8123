import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createUsageSums } from '#billing';
import type { Sql } from '#db';
import { createServer } from '#http';
import { newId, systemClock } from '#kernel';
import { createKeyAuthenticator, createKeyUsage } from '#keys';
import { bearer, seedAccount, seedKey, seedProject } from '#test/accounts.ts';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import { randomOfRun } from '#test/random.ts';
import { dashboardRoutes } from './dashboard.routes.ts';
import { readDashboard } from './dashboard.ts';
import type { DashboardParts } from './parts.ts';
import { type WindowName, windowNames } from './window.ts';

const { integer: randomInt } = randomOfRun();
const lowMicro = 1_000_000n;
/** In the middle of an hour and of a day. */
const nowMs = Date.UTC(2026, 5, 15, 13, 30);
const [hourMs, dayMs] = [3_600_000, 86_400_000];

/** Nothing has happened in the other rooms. */
const emptyParts: DashboardParts = {
  training: async () => ({ active: [], queued: 0, failedInWindow: 0, lastSucceeded: null, hasAny: false }),
  imports: async () => ({ awaitingConfirmation: 0, failedInWindow: 0 }),
  feedback: async () => ({ pending: 0, needsJudgment: 0, promotedInWindow: 0 }),
  hasDataset: async () => false,
};

let db: TestDatabase;
let server: ReturnType<typeof createServer>;
let origin = '';

before(async () => {
  db = await createTestDatabase();
  const sql = db.database;
  const clock = { nowMs: () => nowMs, monotonicMs: () => 0 };
  const usage = createKeyUsage({ sql, clock: systemClock });
  server = createServer({ authenticator: createKeyAuthenticator({ sql, usage }), probe: async () => {} });
  server.register(dashboardRoutes({ sql, clock, parts: emptyParts, lowMicro }));
  origin = await server.listen({ host: '127.0.0.1', port: 0 });
});

after(async () => {
  await server.close();
  await db.drop();
});

type Call = { agoMs: number; micro?: bigint; activeMs?: number; model?: string; type?: string };

/** An account that was made long ago, and what can happen to it. */
async function someone({ balance = 5_000_000n } = {}) {
  const { accountId, slug } = await seedAccount(db.database);
  const { key, keyId } = await seedKey(db.database, { accountId });
  await db.database.query('update accounts set created_at = $2, balance_micro = $3 where id = $1', [
    accountId,
    new Date(nowMs - 400 * dayMs),
    balance,
  ]);
  await db.database.query('update api_keys set created_at = $2 where account_id = $1', [
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
      await db.database.query(
        `insert into ledger (id, account_id, type, micro, balance_after_micro, project_id, model_requested, model_served,
           request_id, key_id, active_ms, units, rate_micro_per_minute, held_micro, outcome, created_at)
         values ($1, $2, $3, $4, 0, 'prj_1', $5, 'base', $6, $7, $8, 1, 30000, $9, 'succeeded', $10)`,
        [newId('led'), accountId, type, -micro, model, newId('req'), keyId, activeMs, micro, new Date(nowMs - agoMs)],
      );
  };
  const fail = (agoMs: number, state = 'failed') =>
    db.database.query(
      'insert into failed_requests (id, account_id, state, operation, finished_at) values ($1, $2, $3, $4, $5)',
      [newId('req', nowMs - agoMs), accountId, state, 'chat.create', new Date(nowMs - agoMs)],
    );
  return { accountId, slug, key, keyId, read, call, fail };
}

const sumUp = () => createUsageSums({ database: db.database, lowMicro }).catchUp();

test('a new account gets zeros and its first steps, never an error', async () => {
  const { accountId } = await seedAccount(db.database);
  const { key } = await seedKey(db.database, { accountId });
  const response = await fetch(`${origin}/api/v1/dashboard`, { headers: bearer(key) });
  assert.equal(response.status, 200);
  const zero = '0.000000';
  const { usage, ...dashboard } = JSON.parse(await response.text());
  const { series, ...totals } = usage;
  assert.deepEqual(totals, { requests: 0, errors: 0, active_ms: 0, credits: zero, p50_ms: 0, p95_ms: 0 });
  assert.equal(series.length, 7);
  assert.deepEqual(series[6], { at: '2026-06-15T00:00:00.000Z', requests: 0, errors: 0, credits: zero });
  assert.deepEqual(dashboard, {
    as_of: '2026-06-15T13:30:00.000Z',
    window: '7d',
    credits: { available: zero, reserved: zero, spent_window: zero, projected_days_left: null },
    projects: { total: 0, recent: [] },
    training: { active: [], queued: 0, failed_window: 0, last_succeeded: null },
    models: { active: 0, warming: 0, failed: 0, top: [] },
    feedback: { pending: 0, needs_judgment: 0, promoted_window: 0 },
    imports: { awaiting_confirmation: 0, failed_window: 0 },
    keys: { active: 1, unused_30d: 0 },
    alerts: [{ code: 'low_credits', severity: 'error', message: 'No credits are left.', href: '/credits' }],
    getting_started: { project: false, key: true, first_call: false, dataset: false, training: false },
  });
});

test('the numbers are those of the ledger and of the failures, whatever of it is summed up', async () => {
  const { read, call, fail } = await someone();
  const calls: Required<Pick<Call, 'agoMs' | 'micro' | 'activeMs' | 'model'>>[] = [];
  const failures: number[] = [];
  const moment = () =>
    [0, 1, 30 * 60_000, hourMs, 13.5 * hourMs, dayMs, 29 * dayMs, randomInt(40 * dayMs)][randomInt(8)] ?? 0;
  for (let round = 0; round < 3; round++) {
    for (let i = 0; i < 25; i++) {
      const made = {
        agoMs: moment(),
        micro: BigInt(randomInt(900)),
        activeMs: randomInt(5_000),
        model: `m${randomInt(7)}`,
      };
      calls.push(made);
      await call(made);
    }
    for (let i = 0; i < 10; i++) {
      failures.push(moment());
      await fail(failures.at(-1) ?? 0);
    }
    await fail(moment(), 'canceled');
    for (const window of windowNames) {
      const shown = await read(window);
      const stepMs = window === '24h' ? hourMs : dayMs;
      const inPoint = (agoMs: number, at: string) => {
        const time = nowMs - agoMs;
        return time >= Date.parse(at) && time < Date.parse(at) + stepMs;
      };
      const first = Date.parse(shown.usage.series[0].at);
      const inWindow = calls.filter(({ agoMs }) => nowMs - agoMs >= first);
      const sum = (some: typeof calls) => some.reduce((total, { micro }) => total + micro, 0n);
      const credits = (micro: bigint) => `${micro / 1_000_000n}.${(micro % 1_000_000n).toString().padStart(6, '0')}`;
      for (const { at, requests, errors, credits: spent } of shown.usage.series) {
        const charged = calls.filter(({ agoMs }) => inPoint(agoMs, at));
        const failed = failures.filter((agoMs) => inPoint(agoMs, at));
        assert.deepEqual(
          [requests, errors, spent],
          [charged.length + failed.length, failed.length, credits(sum(charged))],
          `${window} ${at}`,
        );
      }
      assert.equal(shown.usage.credits, credits(sum(inWindow)));
      assert.equal(shown.credits.spent_window, shown.usage.credits);
      assert.equal(
        shown.usage.active_ms,
        inWindow.reduce((total, { activeMs }) => total + activeMs, 0),
      );
      const cost = new Map<string, bigint>();
      for (const { model, micro } of inWindow) cost.set(model, (cost.get(model) ?? 0n) + micro);
      const dearest = [...cost.values()].sort((a, b) => Number(b - a)).slice(0, 5);
      assert.deepEqual(
        shown.models.top.map((top: { credits: string }) => top.credits),
        dearest.map(credits),
      );
      const times = inWindow.map(({ activeMs }) => activeMs).sort((a, b) => a - b);
      const middle = (times.length - 1) / 2;
      const median = ((times[Math.floor(middle)] ?? 0) + (times[Math.ceil(middle)] ?? 0)) / 2;
      assert.equal(shown.usage.p50_ms, Math.round(median));
    }
    if (round !== 1) await sumUp();
  }
});

test('nobody sees anything of another account in his numbers', async () => {
  const [mine, other] = [await someone(), await someone()];
  await other.call({ agoMs: 0 });
  await other.fail(0);
  await seedProject(db.database, { accountId: other.accountId });
  const { usage, projects, models, getting_started } = await mine.read();
  assert.deepEqual([usage.requests, projects.total, models.top.length, getting_started.first_call], [0, 0, 0, false]);
});

test('what is left at the present pace: the available credits by what a day costs', async () => {
  const { accountId, read, call } = await someone({ balance: 10_000_000n });
  await db.database.query('update accounts set held_micro = 1000000 where id = $1', [accountId]);
  await call({ agoMs: 2 * dayMs, micro: 650_000n }, { agoMs: 0, micro: 650_000n, type: 'inference' });
  const { credits } = await read();
  // 1.3 credits in 6.5625 days.
  assert.deepEqual(credits, {
    available: '9.000000',
    reserved: '1.000000',
    spent_window: '1.300000',
    projected_days_left: Math.floor(9 / (1.3 / 6.5625)),
  });
});

test('projects, models and keys are counted by what they are now; archived projects not at all', async () => {
  const { accountId, slug, read } = await someone();
  const projects = [];
  for (let i = 0; i < 7; i++)
    projects.push(await seedProject(db.database, { accountId, slug: `p${i}`, name: `P ${i}` }));
  const [first, second, archived] = projects;
  await db.database.query('update projects set archived_at = now() where id = $1', [archived?.projectId]);
  for (const [project, alias, state] of [
    [first, 'one', 'active'],
    [first, 'two', 'failed'],
    [second, 'three', 'warming'],
    [second, 'four', 'inactive'],
    [archived, 'five', 'failed'],
  ] as const)
    await db.database.query(
      `insert into hosted_models (id, project_id, alias, display_name, target_type, target_id, base_model_id, state, error,
         activation, rate_micro_per_minute, price_version)
       values ($1, $2, $3, $3, 'base_model', 'base', 'base', $4, $5, $6, 0, 'v')`,
      [
        newId('hm'),
        project?.projectId,
        alias,
        state,
        state === 'failed' ? '{"code":"x","message":"y"}' : null,
        state === 'warming' ? '{}' : null,
      ],
    );
  await seedKey(db.database, { accountId });
  await db.database.query(
    "update api_keys set created_at = $2, last_used_at = $3 where account_id = $1 and name = 'API key'",
    [accountId, new Date(nowMs - 90 * dayMs), new Date(nowMs - 31 * dayMs)],
  );
  const shown = await read();
  assert.equal(shown.projects.total, 6);
  assert.equal(shown.projects.recent.length, 5);
  const [newest] = shown.projects.recent;
  assert.deepEqual([newest.slug, newest.name, newest.owner, newest.kind], ['p6', 'P 6', slug, 'text']);
  assert.match(newest.created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  const { top: _, ...models } = shown.models;
  assert.deepEqual(models, { active: 1, warming: 1, failed: 1 });
  assert.deepEqual(shown.keys, { active: 2, unused_30d: 2 });
  assert.deepEqual(
    shown.alerts.map(({ code, severity }: { code: string; severity: string }) => [code, severity]),
    [
      ['model_failed', 'error'],
      ['key_unused', 'info'],
    ],
  );
  assert.match(shown.alerts[0].href, new RegExp(`^/projects/${slug}/p0/hosted-models/hm_`));
  assert.deepEqual(shown.getting_started, {
    project: true,
    key: true,
    first_call: false,
    dataset: false,
    training: false,
  });
});

test('low credits and no credits are told apart', async () => {
  const [low, rich] = [await someone({ balance: 999_999n }), await someone({ balance: 1_000_000n })];
  const [alert] = (await low.read()).alerts;
  assert.deepEqual(alert, {
    code: 'low_credits',
    severity: 'warning',
    message: 'Credits are low: 0.999999 are available.',
    href: '/credits',
  });
  assert.deepEqual((await rich.read()).alerts, []);
});

test('rooms that report are asked for the same window, once, and shown', async () => {
  const { accountId } = await someone();
  const asked: unknown[] = [];
  const project = { owner: 'ada', slug: 'search' };
  const dashboard = await readDashboard(
    {
      sql: db.database,
      clock: { nowMs: () => nowMs, monotonicMs: () => 0 },
      lowMicro: 0n,
      parts: {
        training: async (question) => {
          asked.push(question);
          return {
            active: [{ id: 'job_1', name: 'run', project, state: 'running', percent: 40 }],
            queued: 2,
            failedInWindow: 1,
            lastSucceeded: { id: 'job_0', name: 'first', project, finishedAt: new Date(nowMs) },
            hasAny: true,
          };
        },
        imports: async () => ({ awaitingConfirmation: 2, failedInWindow: 0 }),
        feedback: async () => ({ pending: 3, needsJudgment: 1, promotedInWindow: 4 }),
        hasDataset: async () => true,
      },
    },
    accountId,
    '24h',
  );
  assert.deepEqual(asked, [{ accountId, since: new Date(Date.UTC(2026, 5, 14, 14)) }]);
  assert.deepEqual(
    dashboard.alerts.map(({ message }) => message),
    ['1 training job failed.', '2 imports waiting for your confirmation.'],
  );
  assert.deepEqual([dashboard.gettingStarted.dataset, dashboard.gettingStarted.training], [true, true]);
});

test('a dashboard costs three statements at most, however long its window', async () => {
  const { accountId, call } = await someone();
  await call({ agoMs: 0 });
  let statements = 0;
  const sql: Sql = {
    query: (...query) => {
      statements += 1;
      return db.database.query(...query);
    },
  };
  await readDashboard(
    { sql, clock: { nowMs: () => nowMs, monotonicMs: () => 0 }, parts: emptyParts, lowMicro },
    accountId,
    '30d',
  );
  assert.ok(statements <= 3, `${statements} statements`);
});

test('a window that does not exist is refused', async () => {
  const { key } = await someone();
  const response = await fetch(`${origin}/api/v1/dashboard?window=1y`, { headers: bearer(key) });
  const { error } = JSON.parse(await response.text());
  assert.deepEqual([response.status, error.code, error.param], [400, 'invalid_request', 'window']);
});
