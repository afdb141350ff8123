import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useDeferredValue } from 'react';
import { sessionQuery } from '../../api/session.ts';
import { useTexts } from '../../i18n/catalogue.ts';
import { AsyncBoundary } from '../../ui/async-boundary.tsx';
import { Deferred } from '../../ui/deferred.tsx';
import { Page } from '../../ui/page.tsx';
import { SegmentedControl } from '../../ui/segmented-control.tsx';
import { Alerts } from './alerts.tsx';
import styles from './dashboard-page.module.css';
import { dashboardQuery, isWindow, type Window, windows } from './dashboard-queries.ts';
import { ChartsSkeleton, DashboardSkeleton } from './dashboard-skeleton.tsx';
import { dashboardTexts } from './dashboard-texts.ts';
import { Figures } from './figures.tsx';
import { FirstSteps } from './first-steps.tsx';
import { RecentProjects, RunningJobs, TopModels } from './lists.tsx';
import { useStepDialogs } from './step-dialogs.tsx';
import { CallsChart, CreditsChart } from './usage-charts.tsx';

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

function Overview({ window }: { window: Window }) {
  const { data } = useSuspenseQuery(dashboardQuery(window));
  const { open, dialogs } = useStepDialogs();
  const isStarted = Object.values(data.getting_started).every(Boolean);
  return (
    <div className={styles.overview}>
      {!isStarted && <FirstSteps dashboard={data} onOpen={open} />}
      {dialogs}
      <Alerts dashboard={data} />
      <Figures dashboard={data} />
      <Deferred skeleton={<ChartsSkeleton />}>
        <div className={styles.pair}>
          <CallsChart dashboard={data} />
          <CreditsChart dashboard={data} />
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
