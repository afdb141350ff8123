import type { LinkProps } from '@tanstack/react-router';
import type { Project } from './projects-queries.ts';
import type { projectsTexts } from './projects-texts.ts';

type ProjectTab = {
  to: NonNullable<LinkProps['to']>;
  text: keyof (typeof projectsTexts)['en']['tabs'];
  isShown: (project: Project) => boolean;
};

const isOwner = ({ caller_role }: Project): boolean => caller_role === 'owner';

export const projectTabs: readonly ProjectTab[] = [
  { to: '/projects/$owner/$project', text: 'home', isShown: () => true },
  { to: '/projects/$owner/$project/playground', text: 'playground', isShown: isOwner },
  { to: '/projects/$owner/$project/hosted-models', text: 'models', isShown: isOwner },
  { to: '/projects/$owner/$project/data', text: 'data', isShown: isOwner },
  {
    to: '/projects/$owner/$project/saved-calls',
    text: 'calls',
    isShown: (project) => isOwner(project) && project.kind === 'text',
  },
  { to: '/projects/$owner/$project/training-jobs', text: 'training', isShown: isOwner },
  { to: '/projects/$owner/$project/settings', text: 'settings', isShown: isOwner },
];
