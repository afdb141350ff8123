import { useTexts } from '../../i18n/catalogue.ts';
import { AppLink, isPage } from '../../ui/app-link.tsx';
import { type Icon, IconChartLine, IconCube, IconDatabase, IconMessageCircle } from '../../ui/icons.tsx';
import { Panel } from '../../ui/panel.tsx';
import styles from './project-home.module.css';
import type { Project } from './projects-queries.ts';
import { projectsTexts } from './projects-texts.ts';

type Thing = keyof (typeof projectsTexts)['en']['nextThings'];

const things: readonly { thing: Thing; page: string; icon: Icon; isOpen: (project: Project) => boolean }[] = [
  { thing: 'playground', page: 'playground', icon: IconMessageCircle, isOpen: () => true },
  { thing: 'models', page: 'hosted-models', icon: IconCube, isOpen: ({ counts }) => counts?.hosted_models === 0 },
  { thing: 'data', page: 'data', icon: IconDatabase, isOpen: ({ counts }) => counts?.datasets === 0 },
  {
    thing: 'training',
    page: 'training-jobs',
    icon: IconChartLine,
    isOpen: ({ counts }) => counts?.training_jobs === 0,
  },
];

/** What has not been done in a project yet, each with the way there. Nothing when all of it is. */
export function NextThings({ project }: { project: Project }) {
  const t = useTexts(projectsTexts);
  const root = `/projects/${project.owner.slug}/${project.slug}`;
  const shown = things.filter(({ page, isOpen }) => isOpen(project) && isPage(`${root}/${page}`));
  if (shown.length === 0) return null;
  return (
    <Panel title={t.next}>
      <ul className={styles.things}>
        {shown.map(({ thing, page, icon: Sign }) => (
          <li key={thing}>
            <Sign size={20} />
            <span>
              <AppLink href={`${root}/${page}`}>{t.nextThings[thing].title}</AppLink>
              <small>{t.nextThings[thing].text}</small>
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
