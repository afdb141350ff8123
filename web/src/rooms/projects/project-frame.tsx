import { Alert, Skeleton } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi, Link, type LinkProps, Outlet, useMatches } from '@tanstack/react-router';
import { useTexts } from '../../i18n/catalogue.ts';
import { sharedTexts } from '../../i18n/shared-texts.ts';
import { IconArchive } from '../../ui/icons.tsx';
import { KindBadge } from '../../ui/kind.tsx';
import { Page } from '../../ui/page.tsx';
import tabStyles from '../../ui/tabs.module.css';
import { useScrollToActiveTab } from '../../ui/use-scroll-to-active-tab.ts';
import { VisibilityBadge } from './project-badges.tsx';
import styles from './project-frame.module.css';
import { type Project, projectQuery } from './projects-queries.ts';
import { projectsTexts } from './projects-texts.ts';

const route = getRouteApi('/signed-in/projects/$owner/$project');

/** The layout around every page of a project. */
export function ProjectFrame() {
  const t = useTexts(projectsTexts);
  const params = route.useParams();
  const { data: project } = useSuspenseQuery(projectQuery(params));
  const tabsBox = useScrollToActiveTab();
  const tabs = projectTabs.filter(({ isShown }) => isShown(project));
  const fullPath = useMatches({ select: (matches) => matches.at(-1)?.fullPath ?? '' });
  const tab = tabs.find(({ to, text }) => text !== 'home' && fullPath.startsWith(to));
  return (
    <Page
      title={project.name}
      tab={tab && t.tabs[tab.text]}
      isFull={tab?.isFull?.(project) ?? false}
      above={<Where owner={project.owner.slug} slug={project.slug} />}
      badges={
        <>
          <KindBadge kind={project.kind} />
          <VisibilityBadge visibility={project.visibility} />
        </>
      }
      lead={project.description}
      guide={(tab ?? projectTabs[0])?.guide}
    >
      {project.archived_at !== null && (
        <Alert color="amber" icon={<IconArchive />}>
          {t.isArchived}
        </Alert>
      )}
      {tabs.length > 1 && (
        <nav ref={tabsBox} aria-label={t.tabsLabel} className={tabStyles.tabs}>
          {tabs.map(({ to, text }) => (
            <Link key={to} to={to} params={params} activeOptions={{ exact: text === 'home' }}>
              {t.tabs[text]}
            </Link>
          ))}
        </nav>
      )}
      <Outlet />
    </Page>
  );
}

function Where({ owner, slug }: { owner: string; slug: string }) {
  const t = useTexts(projectsTexts);
  return (
    <p className={styles.where}>
      <Link to="/projects">{t.title}</Link>
      <span aria-hidden="true">/</span>
      {owner}/{slug}
    </p>
  );
}

export function ProjectFrameSkeleton() {
  const t = useTexts(sharedTexts);
  return (
    <div role="status" aria-label={t.loading}>
      <Skeleton height={12} width="9rem" mb="lg" />
      <Skeleton height={26} width="16rem" mb="xl" />
      <Skeleton height={220} radius="lg" />
    </div>
  );
}

type ProjectTab = {
  to: NonNullable<LinkProps['to']>;
  text: keyof (typeof projectsTexts)['en']['tabs'];
  isShown: (project: Project) => boolean;
  /** Whether it has the whole window. */
  isFull?: (project: Project) => boolean;
  guide: string;
};

const isOwner = ({ caller_role }: Project): boolean => caller_role === 'owner';

const projectTabs: readonly ProjectTab[] = [
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
