import { Skeleton } from '@mantine/core';
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useDeferredValue } from 'react';
import { sessionQuery } from '../../api/session.ts';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { sharedTexts } from '../../i18n/shared-texts.ts';
import { lazyComponent } from '../../routing/lazy-component.ts';
import { AsyncBoundary } from '../../ui/async-boundary.tsx';
import { Deferred } from '../../ui/deferred.tsx';
import figureStyles from '../../ui/figure-row.module.css';
import { FigureRow } from '../../ui/figure-row.tsx';
import { Page } from '../../ui/page.tsx';
import { SegmentedControl } from '../../ui/segmented-control.tsx';
import { Alerts } from './alerts.tsx';
import styles from './dashboard-page.module.css';
import { type Dashboard, dashboardQuery, isWindow, type Window, windows } from './dashboard-queries.ts';
import { dashboardTexts } from './dashboard-texts.ts';
import { RecentProjects, RunningJobs, TopModels } from './lists.tsx';
import { CallsChart, CreditsChart, LatencyChart, TokensChart } from './usage-charts.tsx';

const route = getRouteApi('/signed-in/');

export function DashboardPage() {
  const t = useTexts(dashboardTexts);
  const { window = '7d' } = route.useSearch();
  const { data: session } = useQuery(sessionQuery);
  return (
    <Page title={t.title} lead={session && t.greeting(session.account.display_name)} actions={<WindowChoice />}>
      <AsyncBoundary skeleton={<DashboardSkeleton />}>
        <Overview window={useDeferredValue(window)} />
      </AsyncBoundary>
    </Page>
  );
}

function WindowChoice() {
  const t = useTexts(dashboardTexts);
  const { window = '7d' } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <SegmentedControl
      size="xs"
      aria-label={t.window}
      value={window}
      data={windows.map((each) => ({ value: each, label: t.windows[each] }))}
      onChange={(next) => isWindow(next) && void navigate({ search: { window: next }, replace: true })}
    />
  );
}

// Loaded separately: it is shown until everything is done.
const FirstSteps = lazyComponent(() => import('./first-steps.tsx'), 'FirstSteps');

function Overview({ window }: { window: Window }) {
  const { data } = useSuspenseQuery(dashboardQuery(window));
  const { data: session } = useQuery(sessionQuery);
  return (
    <div className={styles.overview}>
      <AsyncBoundary skeleton={null}>
        <FirstSteps dashboard={data} isOperator={session?.account.role === 'admin'} />
      </AsyncBoundary>
      <Alerts dashboard={data} />
      <Figures dashboard={data} />
      <Deferred skeleton={<ChartsSkeleton />}>
        <div className={styles.pair}>
          <CallsChart dashboard={data} />
          <CreditsChart dashboard={data} />
          <TokensChart dashboard={data} />
          <LatencyChart dashboard={data} />
        </div>
        <RunningJobs jobs={data.training.active} />
        <div className={styles.pair}>
          <RecentProjects projects={data.projects.recent} />
          <TopModels models={data.models.top} />
        </div>
      </Deferred>
    </div>
  );
}

const aYear = 365;

function Figures({ dashboard: { credits, usage } }: { dashboard: Dashboard }) {
  const t = useTexts(dashboardTexts);
  const format = useFormat();
  const hasReserved = Number(credits.reserved) > 0;
  const days = credits.projected_days_left;
  const daysText = days === null ? null : days > aYear ? t.longLeft : t.daysLeft(format.number(days));
  const failedText = usage.errors === 0 ? t.noneFailed : t.failed(format.percent(usage.errors / usage.requests));
  return (
    <FigureRow
      figures={[
        {
          label: t.available,
          value: format.credits(credits.available),
          note: hasReserved ? t.reserved(format.credits(credits.reserved)) : daysText,
        },
        { label: t.spent, value: format.credits(credits.spent_window), note: hasReserved ? daysText : null },
        {
          label: t.requests,
          value: format.shortNumber(usage.requests),
          note: usage.requests === 0 ? t.noCalls : failedText,
          isBad: usage.errors > 0,
        },
        {
          label: t.latency,
          value: usage.p50_ms === 0 ? '–' : format.duration(usage.p50_ms),
          note: usage.p95_ms === 0 ? t.noCalls : t.p95(format.duration(usage.p95_ms)),
        },
      ]}
    />
  );
}

const cells = ['available', 'spent', 'requests', 'latency'];

function Charts() {
  return (
    <div className={styles.pair}>
      <Skeleton height={276} radius="lg" />
      <Skeleton height={276} radius="lg" />
    </div>
  );
}

function ChartsSkeleton() {
  const t = useTexts(sharedTexts);
  return (
    <div role="status" aria-label={t.loading}>
      <Charts />
    </div>
  );
}

function DashboardSkeleton() {
  const t = useTexts(sharedTexts);
  return (
    <div className={styles.overview} role="status" aria-label={t.loading}>
      <div className={figureStyles.figures}>
        {cells.map((cell) => (
          <Skeleton key={cell} height={112} radius="lg" />
        ))}
      </div>
      <Charts />
    </div>
  );
}
