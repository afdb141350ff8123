import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { AppLink, useIsPage } from '../../ui/app-link.tsx';
import { IconAlertCircle, IconAlertTriangle, IconInfoCircle } from '../../ui/icons.tsx';
import styles from './alerts.module.css';
import type { Dashboard } from './dashboard-queries.ts';
import { dashboardTexts } from './dashboard-texts.ts';

type Alert = Dashboard['alerts'][number];

const icons = { error: IconAlertCircle, warning: IconAlertTriangle, info: IconInfoCircle };

/** Sorted by severity. */
export function Alerts({ dashboard }: { dashboard: Dashboard }) {
  const t = useTexts(dashboardTexts);
  const textOf = useAlertText(dashboard);
  const isPage = useIsPage();
  if (dashboard.alerts.length === 0) return null;
  return (
    <section aria-label={t.alerts}>
      <ul className={styles.alerts}>
        {dashboard.alerts.map((alert) => {
          const Icon = icons[alert.severity];
          return (
            <li key={`${alert.code} ${alert.message}`} data-severity={alert.severity}>
              <Icon />
              <span>{textOf(alert)}</span>
              {isPage(alert.href) && (
                <AppLink href={alert.href} aria-label={`${t.open}: ${textOf(alert)}`}>
                  {t.open}
                </AppLink>
              )}
            </li>
          );
        })}
      </ul>
    </section>
  );
}

/** In English the server's message is shown; the Chinese one is built from the same numbers. */
function useAlertText({ credits, training, imports, keys }: Dashboard): (alert: Alert) => string {
  const t = useTexts(dashboardTexts).alertsText;
  const format = useFormat();
  return ({ code, message }) => {
    switch (code) {
      case 'low_credits':
        return Number(credits.available) > 0 ? t.low_credits(format.credits(credits.available)) : t.no_credits;
      case 'job_failed':
        return t.job_failed(format.number(training.failed_window));
      case 'import_waiting':
        return t.import_waiting(format.number(imports.awaiting_confirmation));
      case 'key_unused':
        return t.key_unused(format.number(keys.unused_30d));
      case 'model_failed': {
        const alias = /"([^"]+)"/.exec(message)?.[1];
        return alias === undefined ? t.models_failed : t.model_failed(alias);
      }
    }
  };
}
