import { Checkbox, Group, Progress } from '@mantine/core';
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useDeferredValue, useState } from 'react';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { AsyncBoundary } from '../../ui/async-boundary.tsx';
import { ButtonLink } from '../../ui/button-link.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { SelectFilter, SetFilter } from '../../ui/filters.tsx';
import { IconChartLine, IconPlus } from '../../ui/icons.tsx';
import { LoadMore } from '../../ui/load-more.tsx';
import { NothingFound } from '../../ui/nothing-found.tsx';
import { Panel } from '../../ui/panel.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { TableSkeleton } from '../../ui/table-skeleton.tsx';
import { Toolbar } from '../../ui/toolbar.tsx';
import { uniqueNames } from '../../ui/unique-names.ts';
import { useList } from '../../ui/use-list.ts';
import { datasetQuery } from '../data/index.ts';
import { type Project, type ProjectPath, projectQuery } from '../projects/index.ts';
import { useHeldOut } from './held-out.ts';
import { JobBadge } from './job-badge.tsx';
import { isOver, jobStates } from './job-state.ts';
import { jobStateTexts } from './job-state-texts.ts';
import styles from './training.module.css';
import { type Job, type JobsFilter, jobsQuery, maxComparedJobs } from './training-queries.ts';
import { trainingTexts } from './training-texts.ts';
import { useLoss } from './use-loss.ts';

const route = getRouteApi('/signed-in/projects/$owner/$project/training-jobs');

export function JobsPage() {
  const t = useTexts(trainingTexts);
  const format = useFormat();
  const params = route.useParams();
  const filter = route.useSearch();
  // Rows stay until those of another filter are loaded.
  const shown = useDeferredValue(filter);
  const { data: project } = useSuspenseQuery(projectQuery(params));
  const [marked, setMarked] = useState<readonly string[]>([]);
  const mark = (id: string, isMarked: boolean) =>
    setMarked((now) => (isMarked ? [...now, id].slice(-maxComparedJobs) : now.filter((each) => each !== id)));
  const actions = (
    <Group gap="xs">
      {marked.length > 1 && (
        <ButtonLink
          size="xs"
          variant="default"
          to="/projects/$owner/$project/training-jobs/compare"
          params={params}
          search={{ jobs: marked.join(',') }}
        >
          {t.compareCount(format.number(marked.length))}
        </ButtonLink>
      )}
      {project.archived_at === null && (
        <ButtonLink
          size="xs"
          leftSection={<IconPlus size={16} />}
          to="/projects/$owner/$project/training-jobs/new"
          params={params}
        >
          {t.create}
        </ButtonLink>
      )}
    </Group>
  );
  return (
    <Panel title={t.title} text={t.lead} aside={actions} flush>
      <Filters filter={filter} />
      <AsyncBoundary skeleton={<TableSkeleton columns={5} />}>
        <JobList kind={project.kind} filter={shown} marked={marked} onMark={mark} />
      </AsyncBoundary>
    </Panel>
  );
}

function Filters({ filter }: { filter: JobsFilter }) {
  const t = useTexts(trainingTexts);
  const states = useTexts(jobStateTexts);
  const navigate = route.useNavigate();
  const change = (next: JobsFilter) => void navigate({ search: (now) => ({ ...now, ...next }), replace: true });
  return (
    <Toolbar isInPanel>
      <SearchField label={t.search} value={filter.q} onSearch={(q) => change({ q })} />
      <SelectFilter
        label={t.state}
        all={t.allStates}
        values={jobStates}
        names={states}
        value={filter.state}
        onChange={(state) => change({ state })}
      />
      {filter.dataset_id && (
        <DatasetFilter dataset={filter.dataset_id} onClear={() => change({ dataset_id: undefined })} />
      )}
    </Toolbar>
  );
}

/** A missing dataset is shown by its id. */
function DatasetFilter({ dataset, onClear }: { dataset: string; onClear: () => void }) {
  const t = useTexts(trainingTexts);
  const { data, isPending } = useQuery(datasetQuery({ ...route.useParams(), dataset }));
  return (
    <SetFilter name={t.ofDataset} onClear={onClear}>
      {t.ofDataset}: {data?.name ?? (isPending ? '…' : dataset)}
    </SetFilter>
  );
}

type JobListProps = {
  kind: Project['kind'];
  filter: JobsFilter;
  marked: readonly string[];
  onMark: (id: string, isMarked: boolean) => void;
};

function JobList({ kind, filter, marked, onMark }: JobListProps) {
  const t = useTexts(trainingTexts);
  const { list, rows: jobs } = useList(jobsQuery(route.useParams(), filter));
  const columns = useJobColumns(route.useParams(), kind);
  const navigate = route.useNavigate();
  const format = useFormat();
  const names = uniqueNames(jobs, format.date);
  if (jobs.length === 0 && (filter.q || filter.state || filter.dataset_id))
    return <NothingFound onClear={() => void navigate({ search: {}, replace: true })}>{t.none}</NothingFound>;
  if (jobs.length === 0)
    return (
      <EmptyState icon={IconChartLine} title={t.emptyTitle}>
        {t.empty}
      </EmptyState>
    );
  const markColumn: Column<Job> = {
    key: 'mark',
    label: t.actions,
    isLabelHidden: true,
    align: 'end',
    render: ({ id, name }) => (
      <Checkbox
        aria-label={t.mark(names.get(id) ?? name)}
        checked={marked.includes(id)}
        onChange={(event) => onMark(id, event.currentTarget.checked)}
      />
    ),
  };
  return (
    <>
      <DataTable
        label={t.title}
        columns={jobs.length > 1 ? [...columns, markColumn] : columns}
        rows={jobs}
        idOf={({ id }) => id}
      />
      {jobs.length > 1 && marked.length < 2 && <p className={styles.note}>{t.compareHint}</p>}
      <LoadMore list={list} shown={jobs.length} />
    </>
  );
}

function useJobColumns({ owner, project }: ProjectPath, kind: Project['kind']): Column<Job>[] {
  const t = useTexts(trainingTexts);
  const format = useFormat();
  const loss = useLoss();
  const heldOut = useHeldOut(kind);
  return [
    {
      key: 'name',
      label: t.name,
      isName: true,
      render: ({ id, name }) => (
        <Link className={styles.name} to="/projects/$owner/$project/training-jobs/$id" params={{ owner, project, id }}>
          {name}
        </Link>
      ),
    },
    { key: 'base', label: t.base, render: ({ base_model }) => base_model },
    { key: 'state', label: t.state, render: (job) => <State job={job} /> },
    { key: 'quality', label: heldOut.name, align: 'end', render: (job) => loss(heldOut.valueOf(job)) },
    { key: 'cost', label: t.cost, align: 'end', render: ({ credits }) => format.credits(credits) },
    { key: 'created', label: t.created, align: 'end', render: ({ created_at }) => <RelativeTime at={created_at} /> },
  ];
}

function State({ job: { state, progress, name } }: { job: Job }) {
  return (
    <span className={styles.state}>
      <JobBadge state={state} />
      {!isOver(state) && progress.percent !== null && (
        <Progress value={progress.percent} size={4} w={72} aria-label={name} />
      )}
    </span>
  );
}
