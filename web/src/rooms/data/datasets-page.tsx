import { Badge, Button, Group } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type ReactNode, useDeferredValue, useState } from 'react';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { AsyncBoundary } from '../../ui/async-boundary.tsx';
import { ButtonLink } from '../../ui/button-link.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ArchiveFilter } from '../../ui/filters.tsx';
import { IconArchive, IconDatabase, IconPlus, IconUpload } from '../../ui/icons.tsx';
import listStyles from '../../ui/list-page.module.css';
import { LoadMore } from '../../ui/load-more.tsx';
import { NothingFound } from '../../ui/nothing-found.tsx';
import { Panel } from '../../ui/panel.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { TableSkeleton } from '../../ui/table-skeleton.tsx';
import { Toolbar } from '../../ui/toolbar.tsx';
import { useList } from '../../ui/use-list.ts';
import { type ProjectPath, projectQuery } from '../projects/index.ts';
import { CreateDataset } from './create-dataset.tsx';
import styles from './data.module.css';
import { type Dataset, type DatasetsFilter, datasetsQuery, importsQuery, isImportOver } from './datasets-queries.ts';
import { datasetsTexts } from './datasets-texts.ts';
import { versionName } from './version-queries.ts';

const route = getRouteApi('/signed-in/projects/$owner/$project/data');

export function DatasetsPage() {
  const t = useTexts(datasetsTexts);
  const params = route.useParams();
  const filter = route.useSearch();
  // Rows stay until those of another filter are loaded.
  const shown = useDeferredValue(filter);
  const { data: project } = useSuspenseQuery(projectQuery(params));
  const [isCreating, setCreating] = useState(false);
  const actions = project.archived_at === null && (
    <Group gap="xs">
      <ButtonLink
        to="/projects/$owner/$project/data/imports/$import"
        params={{ ...params, import: 'new' }}
        leftSection={<IconUpload size={16} />}
      >
        {t.import}
      </ButtonLink>
      <Button variant="default" leftSection={<IconPlus size={16} />} onClick={() => setCreating(true)}>
        {t.create}
      </Button>
    </Group>
  );
  const rows = <TableSkeleton columns={4} />;
  return (
    <>
      <div className={listStyles.head}>
        <Filters filter={filter} />
        {actions}
      </div>
      <AsyncBoundary skeleton={<Panel flush>{rows}</Panel>}>
        {/* Shown together with the list, which would otherwise move down. */}
        <AsyncBoundary>
          <UnfinishedImports at={params} />
        </AsyncBoundary>
        <Panel flush>
          <AsyncBoundary skeleton={rows}>
            <DatasetList filter={shown} create={actions} />
          </AsyncBoundary>
        </Panel>
      </AsyncBoundary>
      <CreateDataset at={params} isOpen={isCreating} onClose={() => setCreating(false)} />
    </>
  );
}

function Filters({ filter: { q, archived } }: { filter: DatasetsFilter }) {
  const t = useTexts(datasetsTexts);
  const navigate = route.useNavigate();
  const change = (next: DatasetsFilter) => void navigate({ search: (now) => ({ ...now, ...next }), replace: true });
  return (
    <Toolbar>
      <SearchField label={t.search} value={q} onSearch={(text) => change({ q: text })} />
      <ArchiveFilter label={t.which} value={archived} onChange={(value) => change({ archived: value })} />
    </Toolbar>
  );
}

function DatasetList({ filter, create }: { filter: DatasetsFilter; create: ReactNode }) {
  const t = useTexts(datasetsTexts);
  const { list, rows: datasets } = useList(datasetsQuery(route.useParams(), filter));
  const columns = useColumns();
  if (datasets.length === 0) return <Nothing filter={filter} create={create} />;
  return (
    <>
      <DataTable label={t.title} columns={columns} rows={datasets} idOf={({ id }) => id} />
      <LoadMore list={list} shown={datasets.length} />
    </>
  );
}

function Nothing({ filter, create }: { filter: DatasetsFilter; create: ReactNode }) {
  const t = useTexts(datasetsTexts);
  const { data: project } = useSuspenseQuery(projectQuery(route.useParams()));
  const navigate = route.useNavigate();
  if (filter.q)
    return (
      <NothingFound onClear={() => void navigate({ search: (now) => ({ ...now, q: undefined }), replace: true })}>
        {t.noneFound}
      </NothingFound>
    );
  if (filter.archived)
    return (
      <EmptyState icon={IconArchive} title={t.archiveEmptyTitle}>
        {t.archiveEmpty}
      </EmptyState>
    );
  return (
    <EmptyState icon={IconDatabase} title={t.emptyTitle} action={create}>
      {project.kind === 'embedding' ? t.emptyEmbedding : t.emptyText}
    </EmptyState>
  );
}

function useColumns(): Column<Dataset>[] {
  const t = useTexts(datasetsTexts);
  const format = useFormat();
  const params = route.useParams();
  return [
    {
      key: 'name',
      label: t.name,
      isName: true,
      render: (dataset) => (
        <div className={listStyles.name}>
          <Link to="/projects/$owner/$project/data/$dataset" params={{ ...params, dataset: dataset.id }}>
            {dataset.name}
          </Link>
          {dataset.description && <small>{dataset.description}</small>}
        </div>
      ),
    },
    {
      key: 'examples',
      label: t.examples,
      align: 'end',
      render: ({ example_count, invalid_count, pending_retrieval_events }) => (
        <span className={styles.counts}>
          {pending_retrieval_events > 0 && (
            <Badge color="ink">{t.inboxWaits(format.shortNumber(pending_retrieval_events))}</Badge>
          )}
          {invalid_count > 0 && <Badge color="amber">{t.invalidCount(format.shortNumber(invalid_count))}</Badge>}
          {format.number(example_count)}
        </span>
      ),
    },
    {
      key: 'split',
      label: t.split,
      align: 'end',
      render: ({ split_counts: { train, test } }) => `${format.number(train)} / ${format.number(test)}`,
    },
    {
      key: 'version',
      label: t.version,
      align: 'end',
      render: ({ latest_version }) => (latest_version ? versionName(latest_version.number) : t.none),
    },
    { key: 'changed', label: t.changed, align: 'end', render: ({ updated_at }) => <RelativeTime at={updated_at} /> },
  ];
}

function UnfinishedImports({ at }: { at: ProjectPath }) {
  const t = useTexts(datasetsTexts);
  const { data } = useSuspenseQuery(importsQuery(at));
  const open = data.data.filter(({ state }) => !isImportOver(state));
  if (open.length === 0) return null;
  return (
    <Panel title={t.unfinished} text={t.unfinishedText}>
      <ul className={styles.unfinished}>
        {open.map(({ id, file, state, created_at }) => (
          <li key={id}>
            <Link to="/projects/$owner/$project/data/imports/$import" params={{ ...at, import: id }}>
              {file.name}
            </Link>
            <span>{t.importStates[state]}</span>
            <RelativeTime at={created_at} />
          </li>
        ))}
      </ul>
    </Panel>
  );
}
