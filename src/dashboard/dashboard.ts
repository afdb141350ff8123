import type { Static } from 'typebox';
import { spendingTypes, sumUsageBy, type UsageGroup } from '#billing';
import type { Sql } from '#db';
import { type Clock, fault, formatCredits, type Micro } from '#kernel';
import { alertsOf } from './alerts.ts';
import type { dashboardSchema } from './dashboard.schema.ts';
import { type AccountState, findAccountState } from './dashboard.store.ts';
import type { DashboardParts, TrainingOverview } from './parts.ts';
import { type DashboardWindow, daysBehind, type WindowName, windowAt } from './window.ts';

export type DashboardSources = {
  sql: Sql;
  clock: Clock;
  parts: DashboardParts;
  /** Below it, credits are low. */
  lowMicro: Micro;
};

const topModels = 5;
const stepMs = { hour: 3_600_000, day: 24 * 3_600_000 };

/** The account at a glance: three statements, and one look into each room that reports. */
export async function readDashboard(
  sources: DashboardSources,
  accountId: string,
  name: WindowName,
): Promise<Static<typeof dashboardSchema>> {
  const { sql, clock, parts } = sources;
  const nowMs = clock.nowMs();
  const window = windowAt(name, nowMs);
  const input = { accountId, since: window.since };
  const [state, spent, models, training, imports, feedback, hasDataset] = await Promise.all([
    findAccountState(sql, accountId, { ...window, nowMs, end: endOf(window) }),
    sumUsageBy(sql, usageFilter(input, spendingTypes), { by: window.grain, limit: window.points.length }),
    sumUsageBy(sql, usageFilter(input, ['inference']), { by: 'model', limit: topModels }),
    parts.training(input),
    parts.imports(input),
    parts.feedback(input),
    parts.hasDataset(input),
  ]);
  if (!state) throw fault('not_found', { message: 'There is no such account.' });
  const spentMicro = -spent.totals.micro;
  const series = seriesOf(window, spent.data, state);
  const sum = (field: 'requests' | 'errors') => series.reduce((total, point) => total + point[field], 0);
  const perDay = Number(spentMicro) / daysBehind(window, { nowMs, bornAt: state.bornAt });
  const availableMicro = state.balanceMicro - state.heldMicro;
  return {
    as_of: new Date(nowMs).toISOString(),
    window: name,
    credits: {
      available: formatCredits(availableMicro),
      reserved: formatCredits(state.heldMicro),
      spent_window: formatCredits(spentMicro),
      projected_days_left: perDay > 0 ? Math.floor(Number(availableMicro) / perDay) : null,
    },
    usage: {
      requests: sum('requests'),
      errors: sum('errors'),
      active_ms: Math.round(Number(spent.totals.activeUs) / 1000),
      credits: formatCredits(spentMicro),
      p50_ms: Math.round(state.p50Ms ?? 0),
      p95_ms: Math.round(state.p95Ms ?? 0),
      series,
    },
    projects: { total: state.projects, recent: state.recentProjects.map((row) => recentToWire(row, state.slug)) },
    training: {
      active: training.active,
      queued: training.queued,
      failed_window: training.failedInWindow,
      last_succeeded: lastToWire(training.lastSucceeded),
    },
    models: {
      active: state.activeModels,
      warming: state.warmingModels,
      failed: state.failures,
      top: models.data.map(({ value, requests, micro }) => ({
        model: value ?? '',
        requests,
        credits: formatCredits(-micro),
      })),
    },
    feedback: {
      pending: feedback.pending,
      needs_judgment: feedback.needsJudgment,
      promoted_window: feedback.promotedInWindow,
    },
    imports: { awaiting_confirmation: imports.awaitingConfirmation, failed_window: imports.failedInWindow },
    keys: { active: state.activeKeys, unused_30d: state.unusedKeys },
    alerts: alertsOf({ state, training, imports, lowMicro: sources.lowMicro }),
    getting_started: {
      project: state.projects > 0,
      key: state.keys > 0,
      first_call: state.hasCalled,
      dataset: hasDataset,
      training: training.hasAny,
    },
  };
}

function recentToWire({ createdAt, updatedAt, ...project }: AccountState['recentProjects'][number], owner: string) {
  return {
    ...project,
    owner,
    created_at: new Date(createdAt).toISOString(),
    updated_at: new Date(updatedAt).toISOString(),
  };
}

function lastToWire(job: TrainingOverview['lastSucceeded']) {
  if (job === null) return null;
  const { finishedAt, ...rest } = job;
  return { ...rest, finished_at: finishedAt.toISOString() };
}

const endOf = ({ points, grain, since }: DashboardWindow): Date =>
  new Date((points.at(-1) ?? since).getTime() + stepMs[grain]);

function usageFilter({ accountId, since }: { accountId: string; since: Date }, types: typeof spendingTypes) {
  return { accountId, since, until: null, keyId: null, projectId: null, model: null, types };
}

/** Every point of the window, also those in which nothing happened. A call that failed is a request, too. */
function seriesOf(
  { points, grain }: DashboardWindow,
  groups: readonly UsageGroup[],
  { errors, calls }: Pick<AccountState, 'errors' | 'calls'>,
) {
  const byName = new Map(groups.map((group) => [group.value, group]));
  return points.map((at, index) => {
    const text = at.toISOString();
    const group = byName.get(grain === 'day' ? text.slice(0, 10) : text);
    const failed = errors[index] ?? 0;
    const credits = formatCredits(-(group?.micro ?? 0n));
    const point = calls[index];
    return {
      at: text,
      requests: (group?.requests ?? 0) + failed,
      errors: failed,
      credits,
      prompt_tokens: point?.promptTokens ?? 0,
      completion_tokens: point?.completionTokens ?? 0,
      total_p50_ms: rounded(point?.p50Ms ?? null),
      total_p95_ms: rounded(point?.p95Ms ?? null),
    };
  });
}

const rounded = (ms: number | null): number | null => (ms === null ? null : Math.round(ms));
