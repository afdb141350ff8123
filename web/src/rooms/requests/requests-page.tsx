import { Switch } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useDeferredValue, useState } from 'react';
import { useTexts } from '../../i18n/catalogue.ts';
import { AsyncBoundary } from '../../ui/async-boundary.tsx';
import { Page } from '../../ui/page.tsx';
import { Panel } from '../../ui/panel.tsx';
import { TableSkeleton } from '../../ui/table-skeleton.tsx';
import { RequestDialog } from './request-dialog.tsx';
import { RequestFilters } from './request-filters.tsx';
import { RequestRows } from './request-rows.tsx';
import type { RequestsSearch } from './requests-search.ts';
import { requestsTexts } from './requests-texts.ts';

const accountRoute = getRouteApi('/signed-in/requests');
const projectRoute = getRouteApi('/signed-in/projects/$owner/$project/requests');

/** The calls of the account. */
export function RequestsPage() {
  const t = useTexts(requestsTexts);
  const search = accountRoute.useSearch();
  const navigate = accountRoute.useNavigate();
  return (
    <Page title={t.title} lead={t.lead} guide="reliability#what-became-of-a-request">
      <Requests search={search} onSearch={(next) => void navigate({ search: next, resetScroll: false })} />
    </Page>
  );
}

/** Those of one project. */
export function ProjectRequestsPage() {
  const { owner, project } = projectRoute.useParams();
  const search = projectRoute.useSearch();
  const navigate = projectRoute.useNavigate();
  return (
    <Requests
      search={search}
      of={`${owner}/${project}`}
      onSearch={(next) => void navigate({ search: next, resetScroll: false })}
    />
  );
}

type RequestsProps = {
  search: RequestsSearch;
  /** The project whose page this is. */
  of?: string;
  onSearch: (next: RequestsSearch) => void;
};

function Requests({ search, of, onSearch }: RequestsProps) {
  const t = useTexts(requestsTexts);
  const [isLive, setLive] = useState(false);
  const { id, ...filter } = search;
  // Rows stay until those of other filters are loaded.
  const shown = useDeferredValue(filter);
  const change = (next: RequestsSearch) => onSearch({ ...search, ...next });
  return (
    <>
      <RequestFilters filter={filter} isOfProject={of !== undefined} onChange={change}>
        <Switch
          size="xs"
          label={t.liveTail}
          checked={isLive}
          onChange={({ currentTarget }) => setLive(currentTarget.checked)}
        />
      </RequestFilters>
      <Panel flush>
        <AsyncBoundary skeleton={<TableSkeleton columns={5} rows={6} />}>
          <RequestRows
            filter={of === undefined ? shown : { ...shown, project: of }}
            isFiltered={Object.values(filter).some((value) => value !== undefined)}
            isLive={isLive}
            onOpen={(opened) => change({ id: opened })}
            onClear={() => onSearch({})}
          />
        </AsyncBoundary>
      </Panel>
      <RequestDialog
        id={id}
        onClose={() => change({ id: undefined })}
        onFilter={(next) => onSearch({ ...filter, ...next })}
      />
    </>
  );
}
