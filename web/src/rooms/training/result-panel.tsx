import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { Panel } from '../../ui/panel.tsx';
import { TextLink } from '../../ui/text-link.tsx';
import { listedMetrics, metricTexts, useMetricName, useMetricValue } from './metric-texts.ts';
import styles from './training.module.css';
import type { Job, JobPath } from './training-queries.ts';
import { trainingTexts } from './training-texts.ts';
import { useLoss } from './use-loss.ts';

type Result = NonNullable<Job['result']>;
type Measured = { name: string; before: number | null; after: number | null };

/** The result of a job: metrics before and after, and the models that serve it. */
export function ResultPanel({ path, job, result }: { path: JobPath; job: Job; result: Result }) {
  const t = useTexts(trainingTexts);
  const format = useFormat();
  const loss = useLoss();
  const metricName = useMetricName();
  const valueText = useMetricValue();
  const { adapter, metrics, baseline_metrics, check } = result;
  const rows = listedMetrics(Object.keys(metrics)).map(
    (name): Measured => ({ name, after: metrics[name] ?? null, before: baseline_metrics?.[name] ?? null }),
  );
  const columns: Column<Measured>[] = [
    { key: 'name', label: t.metric, isName: true, render: ({ name }) => metricName(name) },
    { key: 'before', label: t.before, align: 'end', render: ({ name, before }) => valueText(name, before) },
    { key: 'after', label: t.after, align: 'end', render: ({ name, after }) => valueText(name, after) },
  ];
  const { owner, project } = path;
  return (
    <Panel title={t.result} text={rows.length > 0 ? t.resultText : t.nothingHeldOut} flush>
      {rows.length > 0 && <DataTable label={t.result} columns={columns} rows={rows} idOf={({ name }) => name} />}
      <Gain metrics={metrics} />
      <p className={styles.note}>
        {t.size(fileSize(adapter.size_bytes, format.shortAmount))} {t.checked(loss(check.agreement))}{' '}
        {job.deployed_as.length > 0 && (
          <>
            {t.deployedAs}{' '}
            <TextLink to="/projects/$owner/$project/hosted-models" params={{ owner, project }}>
              {format.list(job.deployed_as)}
            </TextLink>
          </>
        )}
      </p>
    </Panel>
  );
}

/** The gain in retrieval, and whether it is significant. */
function Gain({ metrics }: { metrics: Result['metrics'] }) {
  const t = useTexts(metricTexts);
  const loss = useLoss();
  const { 'gain.ndcg10': gain, 'gain.low': low, 'gain.high': high, 'gain.measurable': isMeasurable } = metrics;
  if (gain === undefined || low === undefined || high === undefined) return null;
  const conclusion = isMeasurable === 0 ? t.noGain : gain > 0 ? t.better : t.worse;
  return (
    <p className={styles.note}>
      {t.gain(loss(gain), loss(low), loss(high))} {conclusion}
    </p>
  );
}

const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

function fileSize(bytes: number, format: (value: number) => string): string {
  const power = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10));
  return `${format(bytes / 1024 ** power)} ${units[power] ?? ''}`;
}
