import { Button } from '@mantine/core';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { AsyncBoundary } from '../../ui/async-boundary.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { IconPlus, IconVectorTriangle } from '../../ui/icons.tsx';
import styles from '../../ui/list-page.module.css';
import { LoadMore } from '../../ui/load-more.tsx';
import { Panel } from '../../ui/panel.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { TableSkeleton } from '../../ui/table-skeleton.tsx';
import { useList } from '../../ui/use-list.ts';
import { useReadOnly, useVersionName } from '../data/index.ts';
import { BuildIndex } from './build-index.tsx';
import { IndexBadge } from './index-badge.tsx';
import { type Index, indexesQuery } from './indexes-queries.ts';
import { indexesTexts } from './indexes-texts.ts';

const route = getRouteApi('/signed-in/projects/$owner/$project/data/$dataset/indexes');

export function IndexesPage() {
  const t = useTexts(indexesTexts);
  const at = route.useParams();
  const [isBuilding, setBuilding] = useState(false);
  const build = !useReadOnly(at) && (
    <Button size="xs" leftSection={<IconPlus size={14} />} onClick={() => setBuilding(true)}>
      {t.create}
    </Button>
  );
  return (
    <>
      <Panel flush title={t.list} text={t.lead} aside={build}>
        <AsyncBoundary skeleton={<TableSkeleton columns={5} />}>
          <IndexList build={build} />
        </AsyncBoundary>
      </Panel>
      <BuildIndex at={at} isOpen={isBuilding} onClose={() => setBuilding(false)} />
    </>
  );
}

function IndexList({ build }: { build: ReactNode }) {
  const t = useTexts(indexesTexts);
  const { list, rows: indexes } = useList(indexesQuery(route.useParams()));
  const columns = useColumns();
  if (indexes.length === 0)
    return (
      <EmptyState icon={IconVectorTriangle} title={t.emptyTitle} action={build}>
        {t.empty}
      </EmptyState>
    );
  return (
    <>
      <DataTable label={t.list} columns={columns} rows={indexes} idOf={({ id }) => id} />
      <LoadMore list={list} shown={indexes.length} />
    </>
  );
}

function useColumns(): Column<Index>[] {
  const t = useTexts(indexesTexts);
  const format = useFormat();
  const at = route.useParams();
  return [
    {
      key: 'name',
      label: t.name,
      isName: true,
      render: ({ id, model, version_id }) => (
        <div className={styles.name}>
          <Link to="/projects/$owner/$project/data/$dataset/indexes/$index" params={{ ...at, index: id }}>
            {model}
          </Link>
          <VersionName id={version_id} />
        </div>
      ),
    },
    { key: 'state', label: t.state, render: ({ state }) => <IndexBadge state={state} /> },
    {
      key: 'documents',
      label: t.documents,
      align: 'end',
      render: ({ documents }) => (documents === null ? '–' : format.number(documents)),
    },
    {
      key: 'recall',
      label: t.recall,
      align: 'end',
      render: ({ metrics }) => (metrics === null ? '–' : format.percent(metrics.recall_at_1)),
    },
    { key: 'credits', label: t.credits, align: 'end', render: ({ credits }) => format.credits(credits) },
    { key: 'created', label: t.created, align: 'end', render: ({ created_at }) => <RelativeTime at={created_at} /> },
  ];
}

function VersionName({ id }: { id: string }) {
  return <small>{useVersionName(route.useParams(), id)}</small>;
}
