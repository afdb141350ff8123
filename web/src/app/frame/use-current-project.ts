import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useEffect, useSyncExternalStore } from 'react';
import { isProblem } from '../../api/problem.ts';
import {
  forgetRecentProject,
  isSamePlace,
  type RecentProject,
  recentOf,
  recentProjects,
  storeRecentProjects,
  subscribeToRecentProjects,
  withProject,
} from '../../api/recent-projects.ts';
import { sessionQuery } from '../../api/session.ts';
import { projectQuery, projectsQuery } from '../../rooms/projects/index.ts';

/** The projects that the account used in this browser, the last one first. */
export function useRecentProjects(): readonly RecentProject[] {
  const account = useAccount();
  return useSyncExternalStore(subscribeToRecentProjects, () => recentProjects(account));
}

const useAccount = (): string => useQuery(sessionQuery).data?.account.id ?? '';

/** The project in the address; on other pages the last one that was used. Undefined: not known yet. Null: there is none. */
export function useCurrentProject(): RecentProject | null | undefined {
  const account = useAccount();
  const { owner = '', project = '' } = useParams({ strict: false });
  const recent = useRecentProjects();
  const here = useQuery({ ...projectQuery({ owner, project }), enabled: project !== '' });
  const isUnused = recent.length === 0;
  const listed = useInfiniteQuery({ ...projectsQuery({}), enabled: isUnused && account !== '' });
  useEffect(() => {
    if (account === '') return;
    const now = recentProjects(account);
    if (here.data) {
      const used = recentOf(here.data);
      if (JSON.stringify(now[0]) !== JSON.stringify(used)) storeRecentProjects(account, withProject(now, used));
    } else if (isProblem(here.error) && here.error.status === 404) {
      const gone = { owner, slug: project };
      if (now.some((each) => isSamePlace(each, gone))) forgetRecentProject(gone);
    }
  }, [account, owner, project, here.data, here.error]);
  if (here.data) return recentOf(here.data);
  const first = listed.data?.pages[0]?.data[0];
  if (!isUnused) return recent[0];
  if (first) return recentOf(first);
  return listed.isPending ? undefined : null;
}
