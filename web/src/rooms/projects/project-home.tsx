import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useTexts } from '../../i18n/catalogue.ts';
import { AsyncBoundary } from '../../ui/async-boundary.tsx';
import { CopyIcon } from '../../ui/copy-button.tsx';
import { type Icon, IconChartLine, IconCube, IconDatabase, IconMessageCircle } from '../../ui/icons.tsx';
import { Panel } from '../../ui/panel.tsx';
import { TableSkeleton } from '../../ui/table-skeleton.tsx';
import { TextLink } from '../../ui/text-link.tsx';
import styles from './project-home.module.css';
import { ModelsOfOthers, OwnModels } from './project-models.tsx';
import { type Project, projectQuery } from './projects-queries.ts';
import { projectsTexts } from './projects-texts.ts';

const route = getRouteApi('/signed-in/projects/$owner/$project');

export function ProjectHome() {
  const { data: project } = useSuspenseQuery(projectQuery(route.useParams()));
  const isOwner = project.caller_role === 'owner';
  return (
    <>
      <BaseUrl url={project.inference_base_url} />
      {isOwner && project.archived_at === null && <NextThings project={project} />}
      <AsyncBoundary skeleton={<TableSkeleton columns={2} rows={5} />}>
        {isOwner ? <OwnModels project={project} /> : <ModelsOfOthers project={project} />}
      </AsyncBoundary>
    </>
  );
}

function BaseUrl({ url }: { url: string }) {
  const t = useTexts(projectsTexts);
  return (
    <Panel title={t.baseUrl} text={t.baseUrlText}>
      <div className={styles.url}>
        <code>{url}</code>
        <CopyIcon text={url} label={t.copyBaseUrl} />
      </div>
    </Panel>
  );
}

type Thing = keyof (typeof projectsTexts)['en']['nextThings'];

const things = [
  { thing: 'playground', to: '/projects/$owner/$project/playground', icon: IconMessageCircle, isOpen: () => true },
  {
    thing: 'models',
    to: '/projects/$owner/$project/hosted-models',
    icon: IconCube,
    isOpen: ({ counts }) => counts?.hosted_models === 0,
  },
  {
    thing: 'data',
    to: '/projects/$owner/$project/data',
    icon: IconDatabase,
    isOpen: ({ counts }) => counts?.datasets === 0,
  },
  {
    thing: 'training',
    to: '/projects/$owner/$project/training-jobs',
    icon: IconChartLine,
    isOpen: ({ counts }) => counts?.training_jobs === 0,
  },
] as const satisfies readonly { thing: Thing; to: string; icon: Icon; isOpen: (project: Project) => boolean }[];

/** Features that are not used in this project yet. */
function NextThings({ project }: { project: Project }) {
  const t = useTexts(projectsTexts);
  const params = { owner: project.owner.slug, project: project.slug };
  const shown = things.filter(({ isOpen }) => isOpen(project));
  if (shown.length === 0) return null;
  return (
    <Panel title={t.next}>
      <ul className={styles.things}>
        {shown.map(({ thing, to, icon: Icon }) => (
          <li key={thing}>
            <Icon size={20} />
            <span>
              <TextLink to={to} params={params}>
                {t.nextThings[thing].title}
              </TextLink>
              <small>{t.nextThings[thing].text}</small>
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
