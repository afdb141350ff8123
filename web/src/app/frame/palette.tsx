import { Modal } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { catalogue, useTexts } from '../../i18n/catalogue.ts';
import { sharedTexts } from '../../i18n/shared-texts.ts';
import { useOpened } from '../../ui/dialog.tsx';
import { focusTitle } from '../../ui/focus-title.ts';
import { plainHeader } from '../../ui/plain-header.ts';
import { type SearchGroup, SearchList } from '../../ui/search-list.tsx';
import { usePause } from '../../ui/use-pause.ts';
import { frameTexts } from './frame-texts.ts';
import { type Found, isFoundBy } from './palette-order.ts';
import { type FoundGroups, pathOf, searchAll } from './palette-search.ts';
import { useCurrentProject, useRecentProjects } from './use-current-project.ts';
import { usePages } from './use-pages.ts';

const paletteTexts = catalogue(
  {
    label: 'Search pages, projects, models, training jobs and datasets',
    pages: 'Pages',
    projects: 'Projects',
    models: 'Hosted models',
    jobs: 'Training jobs',
    datasets: 'Datasets',
    searching: 'Searching …',
    failed: 'The search failed. Type again to repeat it.',
    found: (count: number) => (count === 1 ? '1 result' : `${count} results`),
  },
  {
    label: '搜索页面、项目、模型、训练任务和数据集',
    pages: '页面',
    projects: '项目',
    models: '托管模型',
    jobs: '训练任务',
    datasets: '数据集',
    searching: '搜索中…',
    failed: '搜索失败。请重新输入以重试。',
    found: (count) => `${count} 个结果`,
  },
);

/** Datasets of this many projects are searched: the current one, and the last ones that were used. */
const mostProjects = 4;
const mostPages = 8;

/** Finds pages and what the account has, and goes there. */
export function Palette({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const t = useTexts(frameTexts);
  const { close } = useTexts(sharedTexts);
  const [hasPicked, setPicked] = useState(false);
  useEffect(() => {
    if (isOpen) setPicked(false);
  }, [isOpen]);
  return (
    <Modal
      opened={useOpened(isOpen)}
      onClose={onClose}
      title={t.palette}
      size="lg"
      centered={false}
      yOffset="10dvh"
      // The page that was chosen gets the focus.
      returnFocus={!hasPicked}
      closeButtonProps={{ 'aria-label': close }}
      attributes={plainHeader}
      transitionProps={{ duration: 120 }}
    >
      <Search
        onClose={onClose}
        onPick={() => {
          setPicked(true);
          onClose();
        }}
      />
    </Modal>
  );
}

/** After the dialog has gone. */
const goneMs = 50;

function Search({ onClose, onPick }: { onClose: () => void; onPick: () => void }) {
  const t = useTexts(paletteTexts);
  const { nothingFound } = useTexts(sharedTexts);
  const router = useRouter();
  const [query, setQuery] = useState('');
  const text = query.trim();
  const { found, isSearching, hasFailed } = useFound(text);
  const pages = usePages()
    .filter((page) => isFoundBy(text, page))
    .slice(0, text === '' ? Number.POSITIVE_INFINITY : mostPages);
  const groups: SearchGroup<Found>[] = [
    { name: t.pages, items: pages },
    ...groupNames.map((name) => ({ name: t[name], items: found?.[name] ?? [] })),
  ];
  const count = groups.reduce((sum, { items }) => sum + items.length, 0);
  useEffect(() => () => void setTimeout(focusTitle, goneMs), []);
  return (
    <SearchList
      label={t.label}
      query={query}
      onQuery={setQuery}
      groups={groups}
      onPick={({ href }) => {
        onPick();
        void router.navigate({ href });
      }}
      onClose={onClose}
      state={stateOf()}
    />
  );

  function stateOf(): string {
    if (isSearching) return t.searching;
    if (hasFailed) return t.failed;
    return count === 0 ? nothingFound : t.found(count);
  }
}

const groupNames = ['projects', 'models', 'jobs', 'datasets'] as const;

/** What the server finds, after a pause in typing. Answers to an earlier text are dropped. */
function useFound(text: string): { found: FoundGroups | undefined; isSearching: boolean; hasFailed: boolean } {
  const current = useCurrentProject();
  const recent = useRecentProjects();
  const q = usePause(text);
  const others = recent.filter(({ owner, slug }) => owner !== current?.owner || slug !== current.slug);
  const projects = [...(current ? [current] : []), ...others].slice(0, mostProjects);
  const { data, isFetching, isError } = useQuery({
    queryKey: ['palette', q, projects.map(pathOf)],
    queryFn: ({ signal }) => searchAll({ q, signal }, projects),
    enabled: q !== '' && q === text,
    retry: false,
  });
  const isCurrent = q === text && text !== '';
  return {
    found: isCurrent ? data : undefined,
    isSearching: text !== '' && (q !== text || isFetching),
    hasFailed: isCurrent && isError,
  };
}
