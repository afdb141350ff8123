import { lazy, Suspense, useState } from 'react';
import type { RecentProject } from '../../api/recent-projects.ts';
import { ProjectFace } from './project-face.tsx';

const loadProjectSwitcher = () => import('./project-switcher.tsx');

const ProjectSwitcher = lazy(async () => ({ default: (await loadProjectSwitcher()).ProjectSwitcher }));

/** Names the current project and opens the list of all; the list is loaded when it is first opened. */
export function ProjectButton({ current }: { current: RecentProject }) {
  const [isRequested, setRequested] = useState(false);
  const face = <ProjectFace current={current} onClick={() => setRequested(true)} />;
  if (!isRequested) return face;
  return (
    <Suspense fallback={face}>
      <ProjectSwitcher current={current} />
    </Suspense>
  );
}
