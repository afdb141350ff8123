import { Button, Text } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useDeferredValue, useMemo, useState } from 'react';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { AsyncBoundary } from '../../ui/async-boundary.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ChoiceFilter, SelectFilter, SetFilter } from '../../ui/filters.tsx';
import { IconActivity, IconArchive } from '../../ui/icons.tsx';
import { LoadMore } from '../../ui/load-more.tsx';
import { notify } from '../../ui/notify.tsx';
import { Page } from '../../ui/page.tsx';
import { Panel } from '../../ui/panel.tsx';
import { TableSkeleton } from '../../ui/table-skeleton.tsx';
import { Toolbar } from '../../ui/toolbar.tsx';
import { useList } from '../../ui/use-list.ts';
import { type ActivityFilter, activityQuery, useArchiveAll } from './activity-queries.ts';
import { activityTexts } from './activity-texts.ts';
import { activityTypes, activityTypeTexts, isActivityType } from './activity-type-texts.ts';
import { Feed } from './feed.tsx';

const route = getRouteApi('/signed-in/activity');

export function ActivityPage() {
  const t = useTexts(activityTexts);
  const filter = useFilter();
  // Rows stay until those of another filter are loaded.
  const shown = useDeferredValue(filter);
  const isFeed = filter.archived === undefined;
  return (
    <Page title={t.title} lead={t.lead} actions={isFeed && !isNarrowed(filter) ? <ArchiveAll /> : null}>
      <Filters filter={filter} />
      <Panel flush>
        <AsyncBoundary skeleton={<TableSkeleton columns={2} rows={6} />}>
          <Rows filter={shown} />
        </AsyncBoundary>
      </Panel>
    </Page>
  );
}

const isNarrowed = ({ type, project, actor_id }: ActivityFilter) => Boolean(type || project || actor_id);

/** A link may name a type that this release does not know: then all are shown. */
function useFilter(): ActivityFilter {
  const search = route.useSearch();
  return useMemo(() => (isActivityType(search.type) ? search : { ...search, type: undefined }), [search]);
}

function Filters({ filter }: { filter: ActivityFilter }) {
  const t = useTexts(activityTexts);
  const names = useTexts(activityTypeTexts);
  const navigate = route.useNavigate();
  const change = (next: ActivityFilter) => void navigate({ search: (now) => ({ ...now, ...next }), replace: true });
  const actorText = (id: string) => (id.startsWith('key_') ? t.ofOneKey : t.ofAccount);
  return (
    <Toolbar>
      <ChoiceFilter
        label={t.which}
        all={t.feed}
        values={['archived']}
        names={{ archived: t.archive }}
        value={filter.archived && 'archived'}
        onChange={(value) => change({ archived: value && true })}
      />
      <SelectFilter
        label={t.type}
        all={t.allTypes}
        values={activityTypes}
        names={names}
        value={filter.type}
        onChange={(type) => change({ type })}
      />
      {filter.project && (
        <SetFilter name={filter.project} onClear={() => change({ project: undefined })}>
          {filter.project}
        </SetFilter>
      )}
      {filter.actor_id && (
        <SetFilter name={actorText(filter.actor_id)} onClear={() => change({ actor_id: undefined })}>
          {actorText(filter.actor_id)}
        </SetFilter>
      )}
    </Toolbar>
  );
}

function Rows({ filter }: { filter: ActivityFilter }) {
  const t = useTexts(activityTexts);
  const { list, rows } = useList(activityQuery(filter));
  if (rows.length > 0)
    return (
      <>
        <Feed rows={rows} filter={filter} />
        <LoadMore list={list} shown={rows.length} />
      </>
    );
  if (list.hasNextPage) return <LoadMore list={list} shown={0} />;
  if (isNarrowed(filter))
    return (
      <EmptyState icon={IconActivity} title={t.noneOfTypeTitle}>
        {t.noneOfType}
      </EmptyState>
    );
  return filter.archived ? (
    <EmptyState icon={IconArchive} title={t.archiveEmptyTitle}>
      {t.archiveEmpty}
    </EmptyState>
  ) : (
    <EmptyState icon={IconActivity} title={t.emptyTitle}>
      {t.empty}
    </EmptyState>
  );
}

function ArchiveAll() {
  const t = useTexts(activityTexts);
  const format = useFormat();
  const archive = useArchiveAll();
  /** Rows that arrive while the dialog is open are not archived. */
  const [before, setBefore] = useState<string | null>(null);
  const close = () => setBefore(null);
  const run = () => {
    if (before === null) return;
    archive.mutate(before, {
      onSuccess: ({ archived }) => {
        close();
        notify({ tone: 'good', text: t.archivedCount(format.number(archived)) });
      },
    });
  };
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconArchive size={16} />}
        onClick={() => setBefore(new Date().toISOString())}
      >
        {t.archiveAll}
      </Button>
      <Confirm
        isOpen={before !== null}
        onClose={close}
        title={t.archiveAllTitle}
        action={t.archiveAll}
        tone="plain"
        isBusy={archive.isPending}
        error={archive.error}
        onConfirm={run}
      >
        <Text>{t.archiveAllText}</Text>
      </Confirm>
    </>
  );
}
