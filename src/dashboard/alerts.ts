import { hrefOf } from '#activity';
import { formatCredits, type Micro } from '#kernel';
import type { AccountState } from './dashboard.store.ts';
import type { ImportsOverview, TrainingOverview } from './parts.ts';

export type Alert = {
  code: 'low_credits' | 'job_failed' | 'model_failed' | 'import_waiting' | 'key_unused';
  severity: 'info' | 'warning' | 'error';
  message: string;
  href: string;
};

export type AlertSources = {
  state: AccountState;
  training: TrainingOverview;
  imports: ImportsOverview;
  /** Below it, credits are low. */
  lowMicro: Micro;
};

export function alertsOf(sources: AlertSources): Alert[] {
  const { failedInWindow } = sources.training;
  const { awaitingConfirmation } = sources.imports;
  const { unusedKeys } = sources.state;
  const alerts: (Alert | null)[] = [
    creditsAlert(sources),
    ...modelAlerts(sources.state),
    failedInWindow === 0
      ? null
      : {
          code: 'job_failed',
          severity: 'error',
          message: `${counted(failedInWindow, 'training job')} failed.`,
          href: '/projects',
        },
    awaitingConfirmation === 0
      ? null
      : {
          code: 'import_waiting',
          severity: 'info',
          message: `${counted(awaitingConfirmation, 'import')} waiting for your confirmation.`,
          href: '/projects',
        },
    unusedKeys === 0
      ? null
      : {
          code: 'key_unused',
          severity: 'info',
          message: `${counted(unusedKeys, 'active API key')} not used for 30 days.`,
          href: '/keys',
        },
  ];
  return alerts.filter((alert) => alert !== null);
}

function creditsAlert({ state: { balanceMicro, heldMicro }, lowMicro }: AlertSources): Alert | null {
  if (balanceMicro >= lowMicro) return null;
  const available = balanceMicro - heldMicro;
  const isEmpty = available <= 0n;
  return {
    code: 'low_credits',
    severity: isEmpty ? 'error' : 'warning',
    message: isEmpty ? 'No credits are left.' : `Credits are low: ${formatCredits(available)} are available.`,
    href: '/credits',
  };
}

function modelAlerts({ slug, failedModels, failures }: AccountState): Alert[] {
  const shown = failedModels.map(
    ({ id, alias, projectSlug }): Alert => ({
      code: 'model_failed',
      severity: 'error',
      message: `The hosted model "${alias}" could not be loaded.`,
      href: hrefOf({ kind: 'hosted_model', id }, { ownerSlug: slug, slug: projectSlug }),
    }),
  );
  const more = failures - shown.length;
  if (more <= 0) return shown;
  const message = `${counted(more, 'more hosted model')} could not be loaded.`;
  return [...shown, { code: 'model_failed', severity: 'error', message, href: '/projects' }];
}

const counted = (count: number, thing: string): string => `${count} ${thing}${count === 1 ? '' : 's'}`;
