import { Button } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { useTexts } from '../../i18n/catalogue.ts';
import { AsyncBoundary } from '../../ui/async-boundary.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { IconHistory, IconPlus } from '../../ui/icons.tsx';
import { LoadMore } from '../../ui/load-more.tsx';
import { Panel } from '../../ui/panel.tsx';
import { TableSkeleton } from '../../ui/table-skeleton.tsx';
import { useList } from '../../ui/use-list.ts';
import { useReadOnly, versionsQuery } from '../data/index.ts';
import { VersionComparison } from './comparison.tsx';
import { FreezeVersion } from './freeze-version.tsx';
import { useVersionColumns } from './versions-columns.tsx';
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
