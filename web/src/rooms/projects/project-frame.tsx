import { Alert, Skeleton } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi, Link, Outlet, useMatches } from '@tanstack/react-router';
import { useTexts } from '../../i18n/catalogue.ts';
import { sharedTexts } from '../../i18n/shared-texts.ts';
import { IconArchive } from '../../ui/icons.tsx';
import { KindBadge } from '../../ui/kind.tsx';
import { Page } from '../../ui/page.tsx';
import tabStyles from '../../ui/tabs.module.css';
import { useScrollToActiveTab } from '../../ui/use-scroll-to-active-tab.ts';
import { VisibilityBadge } from './project-badges.tsx';
import styles from './project-frame.module.css';
import { projectTabs } from './project-tabs.ts';
import { projectQuery } from './projects-queries.ts';
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
