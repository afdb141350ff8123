import { Badge, Skeleton } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import type { Point } from '../../charts/line-scale.ts';
import type { LineSeries } from '../../charts/lines.tsx';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { AsyncBoundary } from '../../ui/async-boundary.tsx';
import { Panel } from '../../ui/panel.tsx';
import { highestOf, isOverfitting, lowestOf } from './curve-points.ts';
import { isNamedCurve, pointsOf, seriesNames } from './curves.ts';
import { Chart, LossChart } from './loss-chart.tsx';
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
  const ranking = pointsOf(data, 'eval.ndcg10');
  const selected = heldOut.length > 0 ? lowestOf(heldOut) : highestOf(ranking);
  const others = names.filter(
    (name) => name !== 'loss' && name !== 'eval.loss' && !isGain(name.replace(/^eval\./, '')),
  );
  return (
    <>
      <LossChart label={t.curvesLabel} series={loss} mark={selected?.[0]} />
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

type OutcomeProps = { job: Job; heldOut: readonly Point[]; selected: Point | undefined };

/** Which weights are kept, and what the curves say about the length of the training. */
function Outcome({ job, heldOut, selected }: OutcomeProps) {
  const t = useTexts(trainingTexts);
  const format = useFormat();
  const loss = useLoss();
  const { step, total_steps: total } = job.progress;
  if (selected === undefined) return null;
  const stoppedEarly = job.state === 'succeeded' && total !== null && step < total;
  const isByLoss = heldOut.length > 0;
  const [at, value] = [format.number(selected[0]), loss(selected[1])];
  return (
    <ul className={styles.outcome}>
      <li>{isByLoss ? t.selectedText(at, value) : t.selectedByRank(at, value)}</li>
      {isOverfitting(heldOut, selected) && (
        <li>
          <Badge color="amber">{t.overfitting}</Badge> {t.overfits}
        </li>
      )}
      {stoppedEarly && (
        <li>
          <Badge color="gray">{t.earlyStopping}</Badge> {t.stoppedEarly(format.number(step), format.number(total))}
        </li>
      )}
    </ul>
  );
}
