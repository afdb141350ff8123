import type { LinkProps } from '@tanstack/react-router';
import type { RecentProject } from '../../api/recent-projects.ts';
import {
  type Icon,
  IconChartLine,
  IconCube,
  IconDatabase,
  IconFolder,
  IconListDetails,
  IconMessageCircle,
} from '../../ui/icons.tsx';

type ProjectLink = {
  to: NonNullable<LinkProps['to']>;
  icon: Icon;
  text: 'playground' | 'data' | 'training' | 'models' | 'overview' | 'requests';
};

const ownLinks: readonly ProjectLink[] = [
  { to: '/projects/$owner/$project/playground', icon: IconMessageCircle, text: 'playground' },
  { to: '/projects/$owner/$project/data', icon: IconDatabase, text: 'data' },
  { to: '/projects/$owner/$project/training-jobs', icon: IconChartLine, text: 'training' },
  { to: '/projects/$owner/$project/hosted-models', icon: IconCube, text: 'models' },
];

/** Of somebody else's project there is no more. */
const sharedLinks: readonly ProjectLink[] = [
  { to: '/projects/$owner/$project', icon: IconFolder, text: 'overview' },
  { to: '/projects/$owner/$project/requests', icon: IconListDetails, text: 'requests' },
];

export const projectLinksOf = ({ isOwner }: RecentProject) => (isOwner ? ownLinks : sharedLinks);
