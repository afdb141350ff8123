import { Badge, Button } from '@mantine/core';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type ReactNode, useDeferredValue, useState } from 'react';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { AsyncBoundary } from '../../ui/async-boundary.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ArchiveFilter } from '../../ui/filters.tsx';
import { IconArchive, IconFolder, IconPlus } from '../../ui/icons.tsx';
import { KindBadge, kinds, kindTexts } from '../../ui/kind.tsx';
import { KindFilter } from '../../ui/kind-filter.tsx';
import { LoadMore } from '../../ui/load-more.tsx';
import { NothingFound } from '../../ui/nothing-found.tsx';
import { Page } from '../../ui/page.tsx';
import { Panel } from '../../ui/panel.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { TableSkeleton } from '../../ui/table-skeleton.tsx';
import { Toolbar } from '../../ui/toolbar.tsx';
import { useList } from '../../ui/use-list.ts';
import { CreateProject } from './create-project.tsx';
import { VisibilityBadge } from './project-badges.tsx';
import styles from './projects-page.module.css';
import { type Project, type ProjectsSearch, projectsQuery } from './projects-queries.ts';
import { projectsTexts } from './projects-texts.ts';
import { SharedModels } from './shared-models.tsx';

const route = getRouteApi('/signed-in/projects');

export function ProjectsPage() {
  const t = useTexts(projectsTexts);
  const filter = route.useSearch();
  // Rows stay until those of another filter are loaded.
  const shown = useDeferredValue(filter);
  const [isCreating, setCreating] = useState(false);
  const create = (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setCreating(true)}>
      {t.create}
    </Button>
  );
  return (
    <Page title={t.title} lead={t.lead} guide="projects" actions={create}>
      <Filters filter={filter} />
      <Panel flush>
        <AsyncBoundary skeleton={<TableSkeleton columns={4} />}>
          <ProjectList filter={shown} create={create} />
        </AsyncBoundary>
      </Panel>
      <SharedModels />
      <CreateProject isOpen={isCreating} onClose={() => setCreating(false)} />
    </Page>
  );
}

function Filters({ filter: { q, kind, archived } }: { filter: ProjectsSearch }) {
  const t = useTexts(projectsTexts);
  const navigate = route.useNavigate();
  const change = (next: ProjectsSearch) => void navigate({ search: (now) => ({ ...now, ...next }), replace: true });
  return (
    <Toolbar>
      <SearchField label={t.search} value={q} onSearch={(text) => change({ q: text })} />
      <KindFilter values={kinds} value={kind} onChange={(value) => change({ kind: value })} />
      <ArchiveFilter label={t.which} value={archived} onChange={(value) => change({ archived: value })} />
    </Toolbar>
  );
}

function ProjectList({ filter, create }: { filter: ProjectsSearch; create: ReactNode }) {
  const t = useTexts(projectsTexts);
  const { list, rows: projects } = useList(projectsQuery(filter));
  const columns = useColumns();
  if (projects.length === 0) return <Nothing filter={filter} create={create} />;
  return (
    <>
      <DataTable label={t.title} columns={columns} rows={projects} idOf={({ id }) => id} />
      <LoadMore list={list} shown={projects.length} />
    </>
  );
}

function Nothing({ filter: { q, kind, archived }, create }: { filter: ProjectsSearch; create: ReactNode }) {
  const t = useTexts(projectsTexts);
  const navigate = route.useNavigate();
  if (q || kind)
    return (
      <NothingFound onClear={() => void navigate({ search: { archived }, replace: true })}>{t.noneFound}</NothingFound>
    );
  if (archived)
    return (
      <EmptyState icon={IconArchive} title={t.archiveEmptyTitle}>
        {t.archiveEmpty}
      </EmptyState>
    );
  return (
    <EmptyState icon={IconFolder} title={t.emptyTitle} action={create}>
      {t.empty}
    </EmptyState>
  );
}

function useColumns(): Column<Project>[] {
  const t = useTexts(projectsTexts);
  const { kind: kindTitle } = useTexts(kindTexts);
  const format = useFormat();
  return [
    {
      key: 'name',
      label: t.name,
      isName: true,
      render: ({ owner, slug, name }) => (
        <>
          <Link className={styles.name} to="/projects/$owner/$project" params={{ owner: owner.slug, project: slug }}>
            {name}
          </Link>
          <span className={styles.path}>
            {owner.slug}/{slug}
          </span>
        </>
      ),
    },
    { key: 'kind', label: kindTitle, render: ({ kind }) => <KindBadge kind={kind} /> },
    {
      key: 'visibility',
      label: t.visibility,
      render: ({ caller_role, visibility }) =>
        caller_role === 'owner' ? (
          <VisibilityBadge visibility={visibility} />
        ) : (
          <Badge color="amber">{t.sharedWithYou}</Badge>
        ),
    },
    {
      key: 'models',
      label: t.models,
      align: 'end',
      render: ({ counts }) => (counts ? format.number(counts.hosted_models) : '–'),
    },
    { key: 'changed', label: t.changed, align: 'end', render: ({ updated_at }) => <RelativeTime at={updated_at} /> },
  ];
}
