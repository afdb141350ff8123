import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Sql } from '#db';
import { newId } from '#kernel';
import { bearer, seedAccount, seedKey, seedProject } from '#test/accounts.ts';
import { clock, dayMs, emptyParts, lowMicro, nowMs, openDashboard } from './dashboard.fixture.ts';
import { readDashboard } from './dashboard.ts';

const { database, origin, close, someone } = await openDashboard();
after(close);

test('a new account gets zeros and its first steps, never an error', async () => {
  const { accountId } = await seedAccount(database);
  const { key } = await seedKey(database, { accountId });
  const response = await fetch(`${origin}/api/v1/dashboard`, { headers: bearer(key) });
  assert.equal(response.status, 200);
  const zero = '0.000000';
  const { usage, ...dashboard } = JSON.parse(await response.text());
  const { series, ...totals } = usage;
  assert.deepEqual(totals, { requests: 0, errors: 0, active_ms: 0, credits: zero, p50_ms: 0, p95_ms: 0 });
  assert.equal(series.length, 7);
  assert.deepEqual(series[6], {
    at: '2026-06-15T00:00:00.000Z',
    requests: 0,
    errors: 0,
    credits: zero,
    prompt_tokens: 0,
    completion_tokens: 0,
    total_p50_ms: null,
    total_p95_ms: null,
  });
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

test('projects, models and keys are counted by what they are now; archived projects not at all', async () => {
  const { accountId, slug, read } = await someone();
  const projects = [];
  for (let i = 0; i < 7; i++) projects.push(await seedProject(database, { accountId, slug: `p${i}`, name: `P ${i}` }));
  const [first, second, archived] = projects;
  await database.query('update projects set archived_at = now() where id = $1', [archived?.projectId]);
  for (const [project, alias, state] of [
    [first, 'one', 'active'],
    [first, 'two', 'failed'],
    [second, 'three', 'warming'],
    [second, 'four', 'inactive'],
    [archived, 'five', 'failed'],
  ] as const)
    await database.query(
      `insert into hosted_models (id, project_id, alias, display_name, target_type, target_id, base_model_id, state, error,
         activation, rate_micro_per_minute, price_version, search_text)
       values ($1, $2, $3, $3, 'base_model', 'base', 'base', $4, $5, $6, 0, 'v', '')`,
      [
        newId('hm'),
        project?.projectId,
        alias,
        state,
        state === 'failed' ? '{"code":"x","message":"y"}' : null,
        state === 'warming' ? '{}' : null,
      ],
    );
  await seedKey(database, { accountId });
  await database.query(
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
      sql: database,
      clock,
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
  assert.deepEqual([dashboard.getting_started.dataset, dashboard.getting_started.training], [true, true]);
});

test('a dashboard costs three statements at most, however long its window', async () => {
  const { accountId, call } = await someone();
  await call({ agoMs: 0 });
  let statements = 0;
  const sql: Sql = {
    query: (...query) => {
      statements += 1;
      return database.query(...query);
    },
  };
  await readDashboard({ sql, clock, parts: emptyParts, lowMicro }, accountId, '30d');
  assert.ok(statements <= 3, `${statements} statements`);
});

test('a window that does not exist is refused', async () => {
  const { key } = await someone();
  const response = await fetch(`${origin}/api/v1/dashboard?window=1y`, { headers: bearer(key) });
  const { error } = JSON.parse(await response.text());
  assert.deepEqual([response.status, error.code, error.param], [400, 'invalid_request', 'window']);
});
