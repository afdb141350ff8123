import { useSuspenseQuery } from '@tanstack/react-query';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { AsyncBoundary } from '../../ui/async-boundary.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { Panel } from '../../ui/panel.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { TableSkeleton } from '../../ui/table-skeleton.tsx';
import { JobBadge } from './job-badge.tsx';
import styles from './training.module.css';
import { type Attempt, attemptsQuery, type JobPath } from './training-queries.ts';
import { trainingTexts } from './training-texts.ts';

export function AttemptsPanel({ path }: { path: JobPath }) {
  const t = useTexts(trainingTexts);
  return (
    <Panel title={t.attempts} flush>
      <AsyncBoundary skeleton={<TableSkeleton columns={5} rows={1} />}>
        <Attempts path={path} />
      </AsyncBoundary>
    </Panel>
  );
}

function Attempts({ path }: { path: JobPath }) {
  const t = useTexts(trainingTexts);
  const format = useFormat();
  const { data } = useSuspenseQuery(attemptsQuery(path));
  const columns: Column<Attempt>[] = [
    {
      key: 'number',
      label: t.oneAttempt,
      isName: true,
      render: ({ number, resumed_from, error }) => (
        <>
          {t.attempt(format.number(number))}
          {resumed_from && (
            <span className={styles.quiet}>
              {t.resumed(format.number(resumed_from.attempt), format.number(resumed_from.step))}
            </span>
          )}
          {error && <span className={styles.quiet}>{error.message}</span>}
        </>
      ),
    },
    { key: 'state', label: t.state, render: ({ state }) => <JobBadge state={state} /> },
    {
      key: 'started',
      label: t.started,
      render: ({ started_at }) => (started_at ? <RelativeTime at={started_at} /> : '–'),
    },
    { key: 'steps', label: t.step, align: 'end', render: ({ steps }) => format.number(steps) },
    {
      key: 'checkpoints',
      label: t.checkpoints,
      align: 'end',
      render: ({ checkpoints }) => format.number(checkpoints.length),
    },
    { key: 'active', label: t.activeTime, align: 'end', render: ({ active_ms }) => format.duration(active_ms) },
    { key: 'credits', label: t.cost, align: 'end', render: ({ credits }) => format.credits(credits) },
  ];
  return <DataTable label={t.attempts} columns={columns} rows={data.data} idOf={({ number }) => String(number)} />;
}
