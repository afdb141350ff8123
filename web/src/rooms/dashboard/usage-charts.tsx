import type { ComponentProps, ReactNode } from 'react';
import { Lines } from '../../charts/lines.tsx';
import { type BarPoint, TimeBars } from '../../charts/time-bars.tsx';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { Panel } from '../../ui/panel.tsx';
import { TextLink } from '../../ui/text-link.tsx';
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

type BarsProps = {
  dashboard: Dashboard;
  title: string;
  /** For screen readers. */
  label: string;
  series: ComponentProps<typeof TimeBars>['series'];
  valuesOf: (point: Point) => number[];
  isWhole?: boolean;
  /** By default the link to all requests. */
  aside?: ReactNode;
};

function Bars({ dashboard, title, label, series, valuesOf, isWhole = false, aside }: BarsProps) {
  const t = useTexts(dashboardTexts);
  const format = useFormat();
  return (
    <Panel title={title} aside={aside ?? <RequestsLink dashboard={dashboard}>{t.showCalls}</RequestsLink>}>
      <TimeBars
        label={label}
        series={series}
        points={usePoints(dashboard, valuesOf)}
        format={isWhole ? format.shortNumber : format.shortAmount}
        isWhole={isWhole}
        nothing={t.noCalls}
      />
    </Panel>
  );
}

export function CallsChart({ dashboard }: { dashboard: Dashboard }) {
  const t = useTexts(dashboardTexts);
  const hasFailed = dashboard.usage.errors > 0;
  return (
    <Bars
      dashboard={dashboard}
      title={t.callsChart}
      label={t.callsChartLabel}
      series={[
        { name: t.succeeded, color: 'var(--chart-1)' },
        { name: t.failedSeries, color: 'var(--chart-6)' },
      ]}
      valuesOf={({ requests, errors }) => [Math.max(0, requests - errors), errors]}
      isWhole
      aside={
        hasFailed ? (
          <RequestsLink dashboard={dashboard} state="failed">
            {t.showFailed}
          </RequestsLink>
        ) : undefined
      }
    />
  );
}

export function CreditsChart({ dashboard }: { dashboard: Dashboard }) {
  const t = useTexts(dashboardTexts);
  return (
    <Bars
      dashboard={dashboard}
      title={t.creditsChart}
      label={t.creditsChartLabel}
      series={[{ name: t.creditsChart, color: 'var(--chart-2)' }]}
      valuesOf={({ credits }) => [Number(credits)]}
    />
  );
}

export function TokensChart({ dashboard }: { dashboard: Dashboard }) {
  const t = useTexts(dashboardTexts);
  return (
    <Bars
      dashboard={dashboard}
      title={t.tokensChart}
      label={t.tokensChartLabel}
      series={[
        { name: t.promptTokens, color: 'var(--chart-1)' },
        { name: t.completionTokens, color: 'var(--chart-2)' },
      ]}
      valuesOf={({ prompt_tokens, completion_tokens }) => [prompt_tokens, completion_tokens]}
      isWhole
    />
  );
}

/** Requests of the time that the charts show. */
function RequestsLink({
  dashboard: { window },
  state,
  children,
}: {
  dashboard: Dashboard;
  state?: 'failed' | undefined;
  children: ReactNode;
}) {
  const hours = { '24h': 24, '7d': 168, '30d': 720 } as const;
  return (
    <TextLink to="/requests" search={{ state, hours: hours[window] }} size="sm">
      {children}
    </TextLink>
  );
}

/** From arrival to end, of calls that succeeded. */
export function LatencyChart({ dashboard }: { dashboard: Dashboard }) {
  const t = useTexts(dashboardTexts);
  const format = useFormat();
  const labels = usePoints(dashboard, () => []).map(({ label }) => label);
  const pointsOf = (read: (point: Point) => number | null) =>
    dashboard.usage.series.flatMap((point, index): (readonly [number, number])[] => {
      const value = read(point);
      return value === null ? [] : [[index, value]];
    });
  return (
    <Panel title={t.latencyChart} aside={<RequestsLink dashboard={dashboard}>{t.showCalls}</RequestsLink>}>
      <Lines
        label={t.latencyChartLabel}
        xName=""
        series={[
          {
            name: t.p50Series,
            color: 'var(--chart-1)',
            points: pointsOf((point) => point.total_p50_ms),
            isSparse: true,
          },
          {
            name: t.p95Series,
            color: 'var(--chart-6)',
            points: pointsOf((point) => point.total_p95_ms),
            isSparse: true,
          },
        ]}
        format={format.duration}
        formatX={(index) => labels[index] ?? ''}
        nothing={t.noCalls}
        height={190}
        range={[0, dashboard.usage.series.length - 1]}
        fromZero
      />
    </Panel>
  );
}
