import { Button } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { AsyncBoundary } from '../../ui/async-boundary.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { IconHistory, IconPlus } from '../../ui/icons.tsx';
import styles from '../../ui/list-page.module.css';
import { LoadMore } from '../../ui/load-more.tsx';
import { Panel } from '../../ui/panel.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { TableSkeleton } from '../../ui/table-skeleton.tsx';
import { useList } from '../../ui/use-list.ts';
import { useReadOnly, type Version, versionName, versionsQuery } from '../data/index.ts';
import { VersionComparison } from './comparison.tsx';
import { FreezeVersion } from './freeze-version.tsx';
import { VersionMenu } from './version-menu.tsx';
import { versionsTexts } from './versions-texts.ts';

const route = getRouteApi('/signed-in/projects/$owner/$project/data/$dataset/versions');

export function VersionsPage() {
  const t = useTexts(versionsTexts);
  const at = route.useParams();
  const { version } = route.useSearch();
  const [isFreezing, setFreezing] = useState(false);
  const freeze = !useReadOnly(at) && (
    <Button size="xs" leftSection={<IconPlus size={14} />} onClick={() => setFreezing(true)}>
      {t.freeze}
    </Button>
  );
  return (
    <>
      {version !== undefined && (
        <AsyncBoundary
          skeleton={
            <Panel>
              <TableSkeleton columns={1} rows={4} />
            </Panel>
          }
        >
          <VersionComparison key={version} version={version} />
        </AsyncBoundary>
      )}
      <Panel flush title={t.list} text={t.lead} aside={freeze}>
        <AsyncBoundary skeleton={<TableSkeleton columns={5} />}>
          <VersionList freeze={freeze} />
        </AsyncBoundary>
      </Panel>
      <FreezeVersion at={at} isOpen={isFreezing} onClose={() => setFreezing(false)} />
    </>
  );
}

function VersionList({ freeze }: { freeze: React.ReactNode }) {
  const t = useTexts(versionsTexts);
  const { list, rows: versions } = useList(versionsQuery(route.useParams()));
  const columns = useVersionColumns();
  if (versions.length === 0)
    return (
      <EmptyState icon={IconHistory} title={t.emptyTitle} action={freeze}>
        {t.empty}
      </EmptyState>
    );
  return (
    <>
      <DataTable label={t.list} columns={columns} rows={versions} idOf={({ id }) => id} />
      <LoadMore list={list} shown={versions.length} />
    </>
  );
}

function useVersionColumns(): Column<Version>[] {
  const t = useTexts(versionsTexts);
  const format = useFormat();
  return [
    {
      key: 'version',
      label: t.version,
      isName: true,
      render: ({ number, label }) => (
        <div className={styles.name}>
          {versionName(number)}
          {label && <small>{label}</small>}
        </div>
      ),
    },
    {
      key: 'examples',
      label: t.examples,
      align: 'end',
      render: ({ example_count }) => format.number(example_count),
    },
    {
      key: 'split',
      label: t.split,
      align: 'end',
      render: ({ split_counts: { train, test } }) => `${format.number(train)} / ${format.number(test)}`,
    },
    {
      key: 'tokens',
      label: t.tokens,
      align: 'end',
      render: ({ token_stats }) => format.shortNumber(token_stats.total),
    },
    {
      key: 'source',
      label: t.source,
      render: ({ source, used_by }) => (
        <div className={styles.name}>
          {t.sources[source.kind]}
          {used_by.training_jobs > 0 && <small>{t.usedBy(format.number(used_by.training_jobs))}</small>}
        </div>
      ),
    },
    { key: 'created', label: t.created, align: 'end', render: ({ created_at }) => <RelativeTime at={created_at} /> },
    {
      key: 'actions',
      label: t.actions,
      isLabelHidden: true,
      align: 'end',
      render: (version) => <VersionMenu version={version} />,
    },
  ];
}
