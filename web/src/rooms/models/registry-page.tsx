import { NativeSelect } from '@mantine/core';
import { useSuspenseInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useDeferredValue } from 'react';
import { useTexts } from '../../i18n/catalogue.ts';
import { Empty } from '../../ui/empty.tsx';
import { IconSearch } from '../../ui/icons.tsx';
import { LoadMore } from '../../ui/load-more.tsx';
import { Page } from '../../ui/page.tsx';
import { Panel } from '../../ui/panel.tsx';
import { Part } from '../../ui/part.tsx';
import { Rows } from '../../ui/rows.tsx';
import { RowsSkeleton } from '../../ui/rows-skeleton.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { SegmentedControl } from '../../ui/segmented-control.tsx';
import { Toolbar } from '../../ui/toolbar.tsx';
import { accesses, type RegistrySearch, registryQuery, sources } from './models-queries.ts';
import { useRegistryColumns } from './registry-columns.tsx';
import { registryTexts } from './registry-texts.ts';

const route = getRouteApi('/signed-in/models');

export function RegistryPage() {
  const t = useTexts(registryTexts);
  const filter = route.useSearch();
  // Rows stay until those of another filter are there.
  const shown = useDeferredValue(filter);
  return (
    <Page title={t.title} lead={t.lead}>
      <Filters filter={filter} />
      <Panel flush>
        <Part skeleton={<RowsSkeleton columns={5} />}>
          <Registry filter={shown} />
        </Part>
      </Panel>
    </Page>
  );
}

function Filters({ filter: { q = '', source, kind, access } }: { filter: RegistrySearch }) {
  const t = useTexts(registryTexts);
  const navigate = route.useNavigate();
  const change = (next: RegistrySearch) => void navigate({ search: (now) => ({ ...now, ...next }), replace: true });
  return (
    <Toolbar>
      <SearchField label={t.search} value={q} onSearch={(text) => change({ q: text || undefined })} />
      <SegmentedControl
        size="xs"
        aria-label={t.kind}
        value={kind ?? 'all'}
        data={[
          { value: 'all', label: t.allKinds },
          { value: 'text', label: t.text },
          { value: 'embedding', label: t.embedding },
        ]}
        onChange={(value) => change({ kind: value === 'text' || value === 'embedding' ? value : undefined })}
      />
      <NativeSelect
        size="xs"
        aria-label={t.source}
        value={source ?? ''}
        data={[{ value: '', label: t.allSources }, ...sources.map((value) => ({ value, label: t.sources[value] }))]}
        onChange={({ currentTarget: { value } }) => change({ source: sources.find((each) => each === value) })}
      />
      <NativeSelect
        size="xs"
        aria-label={t.access}
        value={access ?? ''}
        data={[{ value: '', label: t.allAccess }, ...accesses.map((value) => ({ value, label: t.accesses[value] }))]}
        onChange={({ currentTarget: { value } }) => change({ access: accesses.find((each) => each === value) })}
      />
    </Toolbar>
  );
}

function Registry({ filter }: { filter: RegistrySearch }) {
  const t = useTexts(registryTexts);
  const list = useSuspenseInfiniteQuery(registryQuery(filter));
  const models = list.data.pages.flatMap(({ data }) => data);
  const columns = useRegistryColumns();
  if (models.length === 0)
    return (
      <Empty icon={IconSearch} title={t.noneTitle}>
        {t.none}
      </Empty>
    );
  return (
    <>
      <Rows
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
