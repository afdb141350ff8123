import { getRouteApi } from '@tanstack/react-router';
import { useDeferredValue } from 'react';
import { useTexts } from '../../i18n/catalogue.ts';
import { AsyncBoundary } from '../../ui/async-boundary.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { SelectFilter } from '../../ui/filters.tsx';
import { modelKinds } from '../../ui/kind.tsx';
import { KindFilter } from '../../ui/kind-filter.tsx';
import { LoadMore } from '../../ui/load-more.tsx';
import { NothingFound } from '../../ui/nothing-found.tsx';
import { Page } from '../../ui/page.tsx';
import { Panel } from '../../ui/panel.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { TableSkeleton } from '../../ui/table-skeleton.tsx';
import { Toolbar } from '../../ui/toolbar.tsx';
import { useList } from '../../ui/use-list.ts';
import { accesses, type RegistrySearch, registryQuery, sources } from './models-queries.ts';
import { useRegistryColumns } from './registry-columns.tsx';
import { registryTexts } from './registry-texts.ts';

const route = getRouteApi('/signed-in/models');

export function RegistryPage() {
  const t = useTexts(registryTexts);
  const filter = route.useSearch();
  // Rows stay until those of another filter are loaded.
  const shown = useDeferredValue(filter);
  return (
    <Page title={t.title} lead={t.lead} guide="models">
      <Filters filter={filter} />
      <Panel flush>
        <AsyncBoundary skeleton={<TableSkeleton columns={5} />}>
          <Registry filter={shown} />
        </AsyncBoundary>
      </Panel>
    </Page>
  );
}

function Filters({ filter: { q, source, kind, access } }: { filter: RegistrySearch }) {
  const t = useTexts(registryTexts);
  const navigate = route.useNavigate();
  const change = (next: RegistrySearch) => void navigate({ search: (now) => ({ ...now, ...next }), replace: true });
  return (
    <Toolbar>
      <SearchField label={t.search} value={q} onSearch={(text) => change({ q: text })} />
      <KindFilter values={modelKinds} value={kind} onChange={(value) => change({ kind: value })} />
      <SelectFilter
        label={t.source}
        all={t.allSources}
        values={sources}
        names={t.sources}
        value={source}
        onChange={(value) => change({ source: value })}
      />
      <SelectFilter
        label={t.access}
        all={t.allAccess}
        values={accesses}
        names={t.accesses}
        value={access}
        onChange={(value) => change({ access: value })}
      />
    </Toolbar>
  );
}

function Registry({ filter }: { filter: RegistrySearch }) {
  const t = useTexts(registryTexts);
  const { list, rows: models } = useList(registryQuery(filter));
  const columns = useRegistryColumns();
  const navigate = route.useNavigate();
  if (models.length === 0)
    return <NothingFound onClear={() => void navigate({ search: {}, replace: true })}>{t.none}</NothingFound>;
  return (
    <>
      <DataTable
        label={t.title}
        columns={columns}
        rows={models}
        idOf={({ ref, project }) => `${project?.owner}/${project?.slug} ${ref}`}
        isDim={({ callable }) => !callable}
      />
      <LoadMore list={list} shown={models.length} />
    </>
  );
}
