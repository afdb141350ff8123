import type { Static } from 'typebox';
import { formatCredits } from '#kernel';
import type { dashboardSchema } from './dashboard.schema.ts';
import type { Dashboard } from './dashboard.ts';

export function dashboardToWire(dashboard: Dashboard): Static<typeof dashboardSchema> {
  const { credits, usage, state, training, feedback, imports, gettingStarted } = dashboard;
  const sum = (pick: (point: (typeof usage.series)[number]) => number) =>
    usage.series.reduce((total, point) => total + pick(point), 0);
  const spent = formatCredits(credits.spentMicro);
  return {
    as_of: dashboard.asOf.toISOString(),
    window: dashboard.window,
    credits: {
      available: formatCredits(credits.availableMicro),
      reserved: formatCredits(credits.reservedMicro),
      spent_window: spent,
      projected_days_left: credits.projectedDaysLeft,
    },
    usage: {
      requests: sum(({ requests }) => requests),
      errors: sum(({ errors }) => errors),
      active_ms: usage.activeMs,
      credits: spent,
      p50_ms: usage.p50Ms,
      p95_ms: usage.p95Ms,
      series: usage.series.map(({ at, requests, errors, micro }) => ({
        at: at.toISOString(),
        requests,
        errors,
        credits: formatCredits(micro),
      })),
    },
    projects: {
      total: state.projects,
      recent: state.recentProjects.map((project) => projectToWire(project, state.slug)),
    },
    training: {
      active: training.active,
      queued: training.queued,
      failed_window: training.failedInWindow,
      last_succeeded: lastToWire(training.lastSucceeded),
    },
    models: {
      ...state.models,
      top: dashboard.topModels.map(({ micro, ...model }) => ({ ...model, credits: formatCredits(micro) })),
    },
    feedback: {
      pending: feedback.pending,
      needs_judgment: feedback.needsJudgment,
      promoted_window: feedback.promotedInWindow,
    },
    imports: { awaiting_confirmation: imports.awaitingConfirmation, failed_window: imports.failedInWindow },
    keys: { active: state.activeKeys, unused_30d: state.restingKeys },
    alerts: dashboard.alerts,
    getting_started: {
      project: gettingStarted.project,
      key: gettingStarted.key,
      first_call: gettingStarted.firstCall,
      dataset: gettingStarted.dataset,
      training: gettingStarted.training,
    },
  };
}

function projectToWire(
  { createdAt, updatedAt, ...project }: Dashboard['state']['recentProjects'][number],
  owner: string,
) {
  return { ...project, owner, created_at: createdAt.toISOString(), updated_at: updatedAt.toISOString() };
}

function lastToWire(job: Dashboard['training']['lastSucceeded']) {
  if (job === null) return null;
  const { finishedAt, ...rest } = job;
  return { ...rest, finished_at: finishedAt.toISOString() };
}
