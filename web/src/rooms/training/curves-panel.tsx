import { Skeleton, Switch } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Point } from '../../charts/line-scale.ts';
import { type LineSeries, Lines } from '../../charts/lines.tsx';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { AsyncBoundary } from '../../ui/async-boundary.tsx';
import { Panel } from '../../ui/panel.tsx';
import { isNamedCurve, isOverfitting, lowestOf, pointsOf, seriesNames } from './curves.ts';
import { isGain, useMetricName } from './metric-texts.ts';
import styles from './training.module.css';
import { type Job, type JobPath, type Metrics, metricsQuery } from './training-queries.ts';
import { trainingTexts } from './training-texts.ts';
import { useLoss } from './use-loss.ts';

/** Stored measurements of the training, also after the page was closed. */
export function CurvesPanel({ path, job }: { path: JobPath; job: Job }) {
  const t = useTexts(trainingTexts);
  return (
    <Panel title={t.curves}>
      <AsyncBoundary skeleton={<Skeleton height={240} radius="lg" />}>
        <Curves path={path} job={job} />
      </AsyncBoundary>
    </Panel>
  );
}

function Curves({ path, job }: { path: JobPath; job: Job }) {
  const t = useTexts(trainingTexts);
  const { data } = useSuspenseQuery(metricsQuery(path));
  const names = seriesNames(data);
  const heldOut = pointsOf(data, 'eval.loss');
  const loss: LineSeries[] = [{ name: t.loss, color: 'var(--chart-2)', points: pointsOf(data, 'loss') }];
  // Embedding models have other metrics.
  if (heldOut.length > 0) loss.push({ name: t.heldOut, color: 'var(--chart-3)', points: heldOut, isSparse: true });
  const [isLog, setLog] = useState(false);
  const selected = lowestOf(heldOut);
  const others = names.filter(
    (name) => name !== 'loss' && name !== 'eval.loss' && !isGain(name.replace(/^eval\./, '')),
  );
  return (
    <>
      <Switch
        size="xs"
        mb="xs"
        label={t.logScale}
        checked={isLog}
        onChange={({ currentTarget }) => setLog(currentTarget.checked)}
      />
      <Chart
        label={t.curvesLabel}
        series={isLog ? loss.map(logarithmic) : loss}
        height={230}
        isLog={isLog}
        mark={selected?.[0]}
      />
      <Outcome job={job} heldOut={heldOut} selected={selected} />
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
  const label = isNamedCurve(name) ? t.otherCurves[name] : metricName(name.replace(/^eval\./, ''));
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

const logarithmic = (series: LineSeries): LineSeries => ({
  ...series,
  points: series.points.flatMap(([x, value]): Point[] => (value > 0 ? [[x, Math.log10(value)]] : [])),
});

type OutcomeProps = { job: Job; heldOut: readonly Point[]; selected: Point | undefined };

/** Which weights are kept, and what the curves say about the length of the training. */
function Outcome({ job, heldOut, selected }: OutcomeProps) {
  const t = useTexts(trainingTexts);
  const format = useFormat();
  const loss = useLoss();
  const { step, total_steps: total } = job.progress;
  if (selected === undefined) return null;
  const stoppedEarly = job.state === 'succeeded' && total !== null && step < total;
  return (
    <p className={styles.note}>
      {t.selectedText(format.number(selected[0]), loss(selected[1]))} {isOverfitting(heldOut, selected) && t.overfits}{' '}
      {stoppedEarly && t.stoppedEarly(format.number(step), format.number(total))}
    </p>
  );
}

type ChartProps = {
  label: string;
  series: readonly LineSeries[];
  height: number;
  /** The values are logarithms. */
  isLog?: boolean;
  /** The step whose weights are kept. */
  mark?: number | undefined;
};

export function Chart({ label, series, height, isLog = false, mark }: ChartProps) {
  const t = useTexts(trainingTexts);
  const format = useFormat();
  const loss = useLoss();
  return (
    <Lines
      label={label}
      xName={t.step}
      series={series}
      format={isLog ? (value) => loss(10 ** value) : loss}
      mark={mark === undefined ? undefined : { x: mark, text: t.selected(format.shortNumber(mark)) }}
      formatX={format.shortNumber}
      nothing={t.noCurves}
      height={height}
    />
  );
}
