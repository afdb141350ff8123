import { Link } from '@tanstack/react-router';
import { useTexts } from '../../i18n/catalogue.ts';
import { ProjectButton } from './project-button.tsx';
import { projectLinksOf } from './project-links.ts';
import { projectTexts } from './project-texts.ts';
import styles from './side-navigation.module.css';
import { useCurrentProject } from './use-current-project.ts';

/** The current project: a button to switch it, and links to its pages. */
export function ProjectNavigation() {
  const t = useTexts(projectTexts);
  const current = useCurrentProject();
  if (current === null) return null;
  if (current === undefined) return <div className={styles.reserved} />;
  const params = { owner: current.owner, project: current.slug };
  return (
    <nav aria-label={t.projectNavigation(current.name)} className={styles.project}>
      <ProjectButton current={current} />
      <ul>
        {projectLinksOf(current).map(({ to, icon: Icon, text }) => (
          <li key={to}>
            <Link
              to={to}
              params={params}
              className={styles.link}
              activeOptions={{ exact: text === 'overview' }}
              activeProps={{ 'data-active': true }}
            >
              <Icon />
              {t[text]}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
