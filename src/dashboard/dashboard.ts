import { spendingTypes, sumUsageBy, type UsageGroup } from '#billing';
import type { Sql } from '#db';
import { type Clock, fault, type Micro } from '#kernel';
import { type Alert, alertsOf } from './alerts.ts';
import { type AccountState, findAccountState } from './dashboard.store.ts';
import type { DashboardParts, FeedbackOverview, ImportsOverview, TrainingOverview } from './parts.ts';
import { type DashboardWindow, daysBehind, type WindowName, windowAt } from './window.ts';

type Point = { at: Date; requests: number; errors: number; micro: Micro };

export type Dashboard = {
  asOf: Date;
  window: WindowName;
  credits: {
    availableMicro: Micro;
    reservedMicro: Micro;
    spentMicro: Micro;
    projectedDaysLeft: number | null;
  };
  usage: { activeMs: number; p50Ms: number; p95Ms: number; series: Point[] };
  topModels: { model: string; requests: number; micro: Micro }[];
  state: AccountState;
  training: TrainingOverview;
  imports: ImportsOverview;
  feedback: FeedbackOverview;
  alerts: Alert[];
  gettingStarted: { project: boolean; key: boolean; firstCall: boolean; dataset: boolean; training: boolean };
};

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
): Promise<Dashboard> {
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
  return {
    asOf: new Date(nowMs),
    window: name,
    credits: creditsOf(state, -spent.totals.micro, daysBehind(window, { nowMs, bornAt: state.bornAt })),
    usage: usageOf(window, spent, state),
    topModels: models.data.map(({ value, requests, micro }) => ({ model: value ?? '', requests, micro: -micro })),
    state,
    training,
    imports,
    feedback,
    alerts: alertsOf({ state, training, imports, lowMicro: sources.lowMicro }),
    gettingStarted: {
      project: state.projects > 0,
      key: state.keys > 0,
      firstCall: state.hasCalled,
      dataset: hasDataset,
      training: training.hasAny,
    },
  };
}

type Summed = Awaited<ReturnType<typeof sumUsageBy>>;

function usageOf(window: DashboardWindow, { totals, data }: Summed, state: AccountState): Dashboard['usage'] {
  return {
    activeMs: Math.round(Number(totals.activeUs) / 1000),
    p50Ms: Math.round(state.p50Ms ?? 0),
    p95Ms: Math.round(state.p95Ms ?? 0),
    series: seriesOf(window, data, state.errors),
  };
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
  errors: readonly number[],
): Point[] {
  const byName = new Map(groups.map((group) => [group.value, group]));
  return points.map((at, index) => {
    const text = at.toISOString();
    const group = byName.get(grain === 'day' ? text.slice(0, 10) : text);
    const failed = errors[index] ?? 0;
    return { at, requests: (group?.requests ?? 0) + failed, errors: failed, micro: -(group?.micro ?? 0n) };
  });
}

function creditsOf({ balanceMicro, heldMicro }: AccountState, spentMicro: Micro, days: number): Dashboard['credits'] {
  const availableMicro = balanceMicro - heldMicro;
  const perDay = Number(spentMicro) / days;
  return {
    availableMicro,
    reservedMicro: heldMicro,
    spentMicro,
    projectedDaysLeft: perDay > 0 ? Math.floor(Number(availableMicro) / perDay) : null,
  };
}
