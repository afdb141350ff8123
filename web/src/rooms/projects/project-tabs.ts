import type { LinkProps } from '@tanstack/react-router';
import type { Project } from './projects-queries.ts';
import type { projectsTexts } from './projects-texts.ts';

type ProjectTab = {
  to: NonNullable<LinkProps['to']>;
  text: keyof (typeof projectsTexts)['en']['tabs'];
  isShown: (project: Project) => boolean;
  /** Whether it has the whole window. */
  isFull?: (project: Project) => boolean;
  guide: string;
};

const isOwner = ({ caller_role }: Project): boolean => caller_role === 'owner';

/** The pages of a project. */
export const projectTabs: readonly ProjectTab[] = [
  { to: '/projects/$owner/$project', text: 'home', isShown: () => true, guide: 'projects' },
  {
    to: '/projects/$owner/$project/playground',
    text: 'playground',
    isShown: isOwner,
    isFull: (project) => isOwner(project) && project.kind === 'text',
    guide: 'playground',
  },
  {
    to: '/projects/$owner/$project/hosted-models',
    text: 'models',
    isShown: isOwner,
    guide: 'models#hosted-models-and-sharing',
  },
  { to: '/projects/$owner/$project/data', text: 'data', isShown: isOwner, guide: 'datasets' },
  {
    to: '/projects/$owner/$project/saved-calls',
    text: 'calls',
    isShown: (project) => isOwner(project) && project.kind === 'text',
    guide: 'auto-save',
  },
  {
    to: '/projects/$owner/$project/requests',
    text: 'requests',
    isShown: () => true,
    guide: 'reliability#what-became-of-a-request',
  },
  { to: '/projects/$owner/$project/training-jobs', text: 'training', isShown: isOwner, guide: 'training' },
  { to: '/projects/$owner/$project/settings', text: 'settings', isShown: isOwner, guide: 'projects' },
];
