import { Skeleton } from '@mantine/core';
import { useSuspenseQueries, useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { LineSeries } from '../../charts/lines.tsx';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { AsyncBoundary } from '../../ui/async-boundary.tsx';
import { BackLink } from '../../ui/back-link.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { IconChartLine } from '../../ui/icons.tsx';
import { Panel } from '../../ui/panel.tsx';
import { uniqueNames } from '../../ui/unique-names.ts';
import { projectQuery } from '../projects/index.ts';
import { pointsOf } from './curves.ts';
import { useHeldOut } from './held-out.ts';
import { useHyperparameterName } from './hyperparameter-texts.ts';
import { inOrder } from './hyperparameters.ts';
import { JobBadge } from './job-badge.tsx';
import { LossChart } from './loss-chart.tsx';
import { listedMetrics, useMetricName, useMetricValue } from './metric-texts.ts';
import { SettingValue } from './settings-panel.tsx';
import styles from './training.module.css';
import { type Job, jobQuery, type Metrics, maxComparedJobs, metricsQuery } from './training-queries.ts';
import { trainingTexts } from './training-texts.ts';

const route = getRouteApi('/signed-in/projects/$owner/$project/training-jobs/compare');

export function ComparePage() {
  const t = useTexts(trainingTexts);
  const { owner, project } = route.useParams();
  const ids = route.useSearch().jobs.split(',').filter(Boolean).slice(0, maxComparedJobs);
  return (
    <>
      <BackLink to="/projects/$owner/$project/training-jobs" params={{ owner, project }}>
        {t.back}
      </BackLink>
      {ids.length < 2 ? (
        <Panel>
          <EmptyState icon={IconChartLine} title={t.compareTitle}>
            {t.compareNothing}
          </EmptyState>
        </Panel>
      ) : (
        <AsyncBoundary skeleton={<Skeleton height={420} radius="lg" />}>
          <Comparison ids={ids} />
        </AsyncBoundary>
      )}
    </>
  );
}

/** Distinguishes jobs with the same name. */
type Compared = { job: Job; name: string; metrics: Metrics; color: string };

function Comparison({ ids }: { ids: readonly string[] }) {
  const t = useTexts(trainingTexts);
  const params = route.useParams();
  const { data: project } = useSuspenseQuery(projectQuery(params));
  const heldOut = useHeldOut(project.kind);
  const format = useFormat();
  const jobs = useSuspenseQueries({ queries: ids.map((id) => jobQuery({ ...params, id })) });
  const metrics = useSuspenseQueries({ queries: ids.map((id) => metricsQuery({ ...params, id })) });
  const names = uniqueNames(
    jobs.map(({ data }) => data),
    format.date,
  );
  const compared = jobs.flatMap(({ data: job }, index): Compared[] => {
    const measured = metrics[index]?.data;
    return measured
      ? [{ job, name: names.get(job.id) ?? job.name, metrics: measured, color: `var(--chart-${index + 1})` }]
      : [];
  });
  const curvesOf = (name: string, isSparse: boolean): LineSeries[] =>
    compared.map(({ name: jobName, metrics: measured, color }) => ({
      name: jobName,
      color,
      points: pointsOf(measured, name),
      isSparse,
    }));
  return (
    <>
      <Panel isPage title={t.compareTitle} text={t.compareText} flush>
        <Differences compared={compared} />
      </Panel>
      <Panel title={heldOut.name}>
        <LossChart label={heldOut.name} series={curvesOf(heldOut.curve, true)} />
      </Panel>
      <Panel title={t.loss}>
        <LossChart label={t.loss} series={curvesOf('loss', false)} />
      </Panel>
    </>
  );
}

type Line = { key: string; name: string; cells: readonly ReactNode[]; differs: boolean };

/** Wide enough for the name of a base model in two lines. */
const leastColumnRem = 7;

function Differences({ compared }: { compared: readonly Compared[] }) {
  const t = useTexts(trainingTexts);
  const lines = useLines(compared.map(({ job }) => job));
  const params = route.useParams();
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so it must be reached by keyboard
    <section className={styles.compare} tabIndex={0} aria-label={t.compare}>
      <table style={{ minWidth: `${leastColumnRem * (compared.length + 1)}rem` }}>
        <thead>
          <tr>
            <td />
            {compared.map(({ job, name, color }) => (
              <th key={job.id} scope="col">
                <i style={{ background: color }} />
                <Link
                  className={styles.name}
                  to="/projects/$owner/$project/training-jobs/$id"
                  params={{ ...params, id: job.id }}
                >
                  {name}
                </Link>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {lines.map(({ key, name, cells, differs }) => (
            <tr key={key} data-differs={differs || undefined}>
              <th scope="row">
                {name}
                {differs && <span className="visually-hidden"> ({t.differs})</span>}
              </th>
              {cells.map((cell, index) => (
                <td key={compared[index]?.job.id}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** Of a job that is not over: the last validation loss. */
function metricOf({ result, progress }: Job, name: string): number | null | undefined {
  return result?.metrics[name] ?? (name === 'loss' ? progress.eval_loss : null);
}

/** The settings of jobs; differences are highlighted. */
function useLines(jobs: readonly Job[]): Line[] {
  const t = useTexts(trainingTexts);
  const format = useFormat();
  const valueText = useMetricValue();
  const nameOf = useHyperparameterName();
  const metricName = useMetricName();
  const settings = inOrder(new Set(jobs.flatMap(({ hyperparameters }) => Object.keys(hyperparameters))));
  const measured = listedMetrics(
    jobs.flatMap(({ result, progress }) => [
      ...Object.keys(result?.metrics ?? {}),
      ...(progress.eval_loss === null ? [] : ['loss']),
    ]),
  );
  const plain = (key: string, name: string, cell: (job: Job) => ReactNode): Line => ({
    key,
    name,
    cells: jobs.map(cell),
    differs: false,
  });
  const setting = (key: string, name: string, read: (job: Job) => unknown): Line => ({
    key,
    name,
    cells: jobs.map((job) => <SettingValue key={job.id} value={read(job)} />),
    differs: new Set(jobs.map((job) => JSON.stringify(read(job)))).size > 1,
  });
  return [
    plain('state', t.state, ({ state }) => <JobBadge state={state} />),
    ...measured.map((name) => plain(`metric ${name}`, metricName(name), (job) => valueText(name, metricOf(job, name)))),
    plain('active', t.activeTime, ({ active_ms }) => format.duration(active_ms)),
    plain('credits', t.cost, ({ credits }) => format.credits(credits)),
    setting('base', t.base, ({ base_model }) => base_model),
    setting('data', t.dataVersion, ({ dataset_sha256 }) => dataset_sha256.slice(0, 12)),
    ...settings.map((name) => setting(name, nameOf(name), ({ hyperparameters }) => hyperparameters[name])),
  ];
}
