import { Skeleton } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { type LineSeries, Lines } from '../../charts/lines.tsx';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { AsyncBoundary } from '../../ui/async-boundary.tsx';
import { Panel } from '../../ui/panel.tsx';
import { isNamedCurve, pointsOf, seriesNames } from './curves.ts';
import { isGain, useMetricName } from './metric-texts.ts';
import styles from './training.module.css';
import { type JobPath, type Metrics, metricsQuery } from './training-queries.ts';
import { trainingTexts } from './training-texts.ts';
import { useLoss } from './use-loss.ts';

/** Stored measurements of the training, also after the page was closed. */
export function CurvesPanel({ path }: { path: JobPath }) {
  const t = useTexts(trainingTexts);
  return (
    <Panel title={t.curves}>
      <AsyncBoundary skeleton={<Skeleton height={240} radius="lg" />}>
        <Curves path={path} />
      </AsyncBoundary>
    </Panel>
  );
}

function Curves({ path }: { path: JobPath }) {
  const t = useTexts(trainingTexts);
  const { data } = useSuspenseQuery(metricsQuery(path));
  const names = seriesNames(data);
  const heldOut = pointsOf(data, 'eval.loss');
  const loss: LineSeries[] = [{ name: t.trainLoss, color: 'var(--chart-2)', points: pointsOf(data, 'loss') }];
  // Embedding models have other metrics.
  if (heldOut.length > 0) loss.push({ name: t.evalLoss, color: 'var(--chart-3)', points: heldOut, isSparse: true });
  const others = names.filter(
    (name) => name !== 'loss' && name !== 'eval.loss' && !isGain(name.replace(/^eval\./, '')),
  );
  return (
    <>
      <Chart label={t.curvesLabel} series={loss} height={230} />
      {others.length > 0 && (
        <details className={styles.more}>
          <summary>{t.moreCurves}</summary>
          <div className={styles.charts}>
            {others.map((name) => (
              <OtherCurve key={name} name={name} metrics={data} />
            ))}
          </div>
        </details>
      )}
    </>
  );
}

function OtherCurve({ name, metrics }: { name: string; metrics: Metrics }) {
  const t = useTexts(trainingTexts);
  const metricName = useMetricName();
  const label = isNamedCurve(name) ? t.otherCurves[name] : t.measured(metricName(name.replace(/^eval\./, '')));
  const isEvaluation = !isNamedCurve(name);
  return (
    <section>
      <h3>{label}</h3>
      <Chart
        label={label}
        series={[{ name: label, color: 'var(--chart-1)', points: pointsOf(metrics, name), isSparse: isEvaluation }]}
        height={150}
      />
    </section>
  );
}

export function Chart({ label, series, height }: { label: string; series: readonly LineSeries[]; height: number }) {
  const t = useTexts(trainingTexts);
  const format = useFormat();
  const loss = useLoss();
  return (
    <Lines
      label={label}
      xName={t.step}
      series={series}
      format={loss}
      formatX={format.shortNumber}
      nothing={t.noCurves}
      height={height}
    />
  );
}
