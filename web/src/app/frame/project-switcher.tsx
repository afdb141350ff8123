import { Popover } from '@mantine/core';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useMatches, useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { byRecentUse, isSamePlace, type RecentProject, recentOf } from '../../api/recent-projects.ts';
import { catalogue, useTexts } from '../../i18n/catalogue.ts';
import { sharedTexts } from '../../i18n/shared-texts.ts';
import { projectsQuery } from '../../rooms/projects/index.ts';
import { SearchList } from '../../ui/search-list.tsx';
import { TextLink } from '../../ui/text-link.tsx';
import { usePause } from '../../ui/use-pause.ts';
import { ProjectFace } from './project-face.tsx';
import { projectLinksOf } from './project-links.ts';
import styles from './side-navigation.module.css';
import { useRecentProjects } from './use-current-project.ts';

const switcherTexts = catalogue(
  {
    search: 'Search projects',
    own: 'Your projects',
    shared: 'Shared with you',
    all: 'All projects',
    found: (count: number) => (count === 1 ? '1 project' : `${count} projects`),
  },
  {
    search: '搜索项目',
    own: '我的项目',
    shared: '与我共享',
    all: '全部项目',
    found: (count) => `${count} 个项目`,
  },
);

/** Opens as soon as it is loaded. */
export function ProjectSwitcher({ current }: { current: RecentProject }) {
  const t = useTexts(switcherTexts);
  const [isOpen, setOpen] = useState(false);
  const face = useRef<HTMLButtonElement>(null);
  useEffect(() => setOpen(true), []);
  const close = () => {
    setOpen(false);
    face.current?.focus({ preventScroll: true });
  };
  return (
    <Popover
      opened={isOpen}
      onChange={setOpen}
      position="bottom-start"
      width={248}
      trapFocus
      shadow="md"
      withOverlay
      overlayProps={{ backgroundOpacity: 0 }}
    >
      <Popover.Target>
        <ProjectFace ref={face} current={current} onClick={() => setOpen(!isOpen)} />
      </Popover.Target>
      <Popover.Dropdown p="xs" aria-label={t.search}>
        <Projects onClose={close} onLeave={() => setOpen(false)} />
      </Popover.Dropdown>
    </Popover>
  );
}

type Entry = RecentProject & { id: string; text: string; detail: string };

function Projects({ onClose, onLeave }: { onClose: () => void; onLeave: () => void }) {
  const t = useTexts(switcherTexts);
  const { loading, nothingFound } = useTexts(sharedTexts);
  const [query, setQuery] = useState('');
  const q = usePause(query.trim()) || undefined;
  const { data, isPending } = useInfiniteQuery({ ...projectsQuery({ q }), placeholderData: keepPreviousData });
  const projects = useProjects(data?.pages[0], q);
  const go = useGoToProject();
  const entries = projects.map((project): Entry => {
    const path = `${project.owner}/${project.slug}`;
    return { ...project, id: path, text: project.name, detail: project.isOwner ? project.slug : path };
  });
  return (
    <SearchList
      label={t.search}
      query={query}
      onQuery={setQuery}
      groups={[
        { name: t.own, items: entries.filter(({ isOwner }) => isOwner) },
        { name: t.shared, items: entries.filter(({ isOwner }) => !isOwner) },
      ]}
      onPick={(project) => {
        onLeave();
        go(project);
      }}
      onClose={onClose}
      state={stateOf()}
    >
      <div className={styles.all}>
        <TextLink to="/projects" onClick={onLeave}>
          {t.all}
        </TextLink>
      </div>
    </SearchList>
  );

  function stateOf(): string {
    if (isPending) return loading;
    return entries.length === 0 ? nothingFound : t.found(entries.length);
  }
}

type Page = { data: Parameters<typeof recentOf>[0][]; next_cursor: string | null };

/** Those of the server; without a search also those that were used and are on a later page of its list. */
function useProjects(page: Page | undefined, q: string | undefined): RecentProject[] {
  const recent = useRecentProjects();
  const listed = page?.data.map(recentOf) ?? [];
  const later = q === undefined && page && page.next_cursor !== null ? recent : [];
  return byRecentUse([...listed, ...later.filter((each) => !listed.some((other) => isSamePlace(each, other)))], recent);
}

/** Shows the same page of another project if it has it. */
function useGoToProject(): (project: RecentProject) => void {
  const navigate = useNavigate();
  const fullPath = useMatches({ select: (matches) => matches.at(-1)?.fullPath ?? '' });
  return (project) => {
    const page = projectLinksOf(project).find(({ to, text }) => text !== 'overview' && fullPath.startsWith(to));
    void navigate({
      to: page?.to ?? '/projects/$owner/$project',
      params: { owner: project.owner, project: project.slug },
    });
  };
}
