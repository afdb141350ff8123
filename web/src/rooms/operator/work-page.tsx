import { Text } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import type { ResponseOf } from '../../api/call.ts';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { AsyncBoundary } from '../../ui/async-boundary.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { Panel } from '../../ui/panel.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { TableSkeleton } from '../../ui/table-skeleton.tsx';
import { Tag } from '../../ui/tag.tsx';
import { workersQuery, workQuery } from './operator-queries.ts';
import { operatorTexts } from './operator-texts.ts';

type Worker = ResponseOf<'GET /api/v1/operator/workers'>['data'][number];
type Work = ResponseOf<'GET /api/v1/operator/jobs'>;

export function WorkPage() {
  const t = useTexts(operatorTexts);
  return (
    <>
      <Panel title={t.workers} flush>
        <AsyncBoundary skeleton={<TableSkeleton columns={5} rows={1} />}>
          <Workers />
        </AsyncBoundary>
      </Panel>
      <Panel title={t.jobs} flush>
        <AsyncBoundary skeleton={<TableSkeleton columns={5} />}>
          <Jobs />
        </AsyncBoundary>
      </Panel>
      <Panel title={t.tasks} flush>
        <AsyncBoundary skeleton={<TableSkeleton columns={4} />}>
          <Tasks />
        </AsyncBoundary>
      </Panel>
    </>
  );
}

function Workers() {
  const t = useTexts(operatorTexts);
  const format = useFormat();
  const { data } = useSuspenseQuery(workersQuery);
  const columns: Column<Worker>[] = [
    {
      key: 'process',
      label: t.process,
      isName: true,
      render: ({ host, id }) => (
        <>
          {host ?? id}
          <Text size="xs" c="dimmed">
            {id}
          </Text>
        </>
      ),
    },
    { key: 'roles', label: t.roles, render: ({ roles }) => roles ?? '–' },
    { key: 'calls', label: t.calls, align: 'end', render: ({ calls }) => format.number(calls) },
    { key: 'started', label: t.started, isSpare: true, render: ({ started_at }) => <RelativeTime at={started_at} /> },
    { key: 'seen', label: t.seen, render: ({ seen_at }) => <RelativeTime at={seen_at} /> },
  ];
  return <DataTable label={t.workers} columns={columns} rows={data.data} idOf={({ id }) => id} />;
}

const stateColors: Record<string, 'gray' | 'amber' | 'pine' | 'rust'> = {
  running: 'amber',
  preparing: 'amber',
  saving: 'amber',
  succeeded: 'pine',
  failed: 'rust',
};

function Jobs() {
  const t = useTexts(operatorTexts);
  const { data } = useSuspenseQuery(workQuery);
  if (data.data.length === 0)
    return (
      <Text p="lg" size="sm" c="dimmed">
        {t.noJobs}
      </Text>
    );
  const columns: Column<Work['data'][number]>[] = [
    { key: 'job', label: t.job, isName: true, render: ({ name }) => name },
    { key: 'project', label: t.project, render: ({ project }) => project },
    { key: 'model', label: t.baseModel, isSpare: true, render: ({ base_model_id }) => base_model_id },
    { key: 'state', label: t.state, render: ({ state }) => <Tag color={stateColors[state] ?? 'gray'}>{state}</Tag> },
    { key: 'created', label: t.created, render: ({ created_at }) => <RelativeTime at={created_at} /> },
  ];
  return <DataTable label={t.jobs} columns={columns} rows={data.data} idOf={({ id }) => id} />;
}

function Tasks() {
  const t = useTexts(operatorTexts);
  const format = useFormat();
  const { data } = useSuspenseQuery(workQuery);
  const columns: Column<Work['tasks'][number]>[] = [
    { key: 'task', label: t.task, isName: true, render: ({ name }) => name },
    { key: 'waiting', label: t.waiting, align: 'end', render: ({ waiting }) => format.number(waiting) },
    { key: 'active', label: t.active, align: 'end', render: ({ active }) => format.number(active) },
    { key: 'failed', label: t.failed, align: 'end', render: ({ failed }) => format.number(failed) },
  ];
  return <DataTable label={t.tasks} columns={columns} rows={data.tasks} idOf={({ name }) => name} />;
}
