import { type BarPoint, TimeBars } from '../../charts/time-bars.tsx';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { Panel } from '../../ui/panel.tsx';
import type { Dashboard } from './dashboard-queries.ts';
import { dashboardTexts } from './dashboard-texts.ts';

type Point = Dashboard['usage']['series'][number];

/** Hours are shown in the reader's time zone, days in UTC. */
function usePoints({ window, usage }: Dashboard, valuesOf: (point: Point) => number[]): BarPoint[] {
  const format = useFormat();
  return usage.series.map((point) => ({
    key: point.at,
    label: window === '24h' ? format.hour(point.at) : format.dayUtc(point.at),
    title: window === '24h' ? format.dateTime(point.at) : `${format.dayUtc(point.at)} (UTC)`,
    values: valuesOf(point),
  }));
}

export function CallsChart({ dashboard }: { dashboard: Dashboard }) {
  const t = useTexts(dashboardTexts);
  const format = useFormat();
  const points = usePoints(dashboard, ({ requests, errors }) => [Math.max(0, requests - errors), errors]);
  return (
    <Panel title={t.callsChart}>
      <TimeBars
        label={t.callsChartLabel}
        series={[
          { name: t.succeeded, color: 'var(--chart-1)' },
          { name: t.failedSeries, color: 'var(--chart-6)' },
        ]}
        points={points}
        format={format.shortNumber}
        isWhole
        nothing={t.noCalls}
      />
    </Panel>
  );
}

export function CreditsChart({ dashboard }: { dashboard: Dashboard }) {
  const t = useTexts(dashboardTexts);
  const format = useFormat();
  const points = usePoints(dashboard, ({ credits }) => [Number(credits)]);
  return (
    <Panel title={t.creditsChart}>
      <TimeBars
        label={t.creditsChartLabel}
        series={[{ name: t.creditsChart, color: 'var(--chart-2)' }]}
        points={points}
        format={format.shortAmount}
        nothing={t.noCalls}
      />
    </Panel>
  );
}
