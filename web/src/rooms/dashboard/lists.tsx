import { Progress } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { KindBadge } from '../../ui/kind.tsx';
import { Panel } from '../../ui/panel.tsx';
import { TextLink } from '../../ui/text-link.tsx';
import { jobStates, jobStateTexts } from '../training/index.ts';
import type { Dashboard } from './dashboard-queries.ts';
import { dashboardTexts } from './dashboard-texts.ts';
import styles from './lists.module.css';

export function RecentProjects({ projects }: { projects: Dashboard['projects']['recent'] }) {
  const t = useTexts(dashboardTexts);
  return (
    <Panel title={t.recent} aside={<TextLink to="/projects">{t.all}</TextLink>}>
      {projects.length === 0 && <p className={styles.none}>{t.noProjects}</p>}
      <ul className={styles.list}>
        {projects.map(({ id, owner, slug, name, kind }) => (
          <li key={id}>
            <Link to="/projects/$owner/$project" params={{ owner, project: slug }}>
              {name}
            </Link>
            <KindBadge kind={kind} />
          </li>
        ))}
      </ul>
    </Panel>
  );
}

export function TopModels({ models }: { models: Dashboard['models']['top'] }) {
  const t = useTexts(dashboardTexts);
  const format = useFormat();
  const most = Math.max(...models.map(({ credits }) => Number(credits)), Number.MIN_VALUE);
  return (
    <Panel title={t.models}>
      {models.length === 0 && <p className={styles.none}>{t.noModels}</p>}
      <ul className={styles.list}>
        {models.map(({ model, requests, credits }) => (
          <li key={model}>
            <span className={styles.name}>
              {model}
              <Progress value={(Number(credits) / most) * 100} size={4} color="ink" aria-hidden="true" />
            </span>
            <span className={styles.amount}>
              {format.credits(credits)}
              <small>{t.modelCalls(format.shortNumber(requests))}</small>
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

export function RunningJobs({ jobs }: { jobs: Dashboard['training']['active'] }) {
  const t = useTexts(dashboardTexts);
  const states = useTexts(jobStateTexts);
  const stateText = (state: string) => {
    const knownState = jobStates.find((each) => each === state);
    return knownState ? states[knownState] : state;
  };
  const format = useFormat();
  if (jobs.length === 0) return null;
  return (
    <Panel title={t.running}>
      <ul className={styles.list}>
        {jobs.map(({ id, name, project, state, percent }) => (
          <li key={id}>
            <span className={styles.name}>
              <Link
                to="/projects/$owner/$project/training-jobs/$id"
                params={{ owner: project.owner, project: project.slug, id }}
              >
                {name}
              </Link>
              <small>
                {project.owner}/{project.slug}
              </small>
              <Progress value={percent ?? 0} size={6} aria-label={name} />
            </span>
            <span className={styles.amount}>{percent === null ? stateText(state) : format.percent(percent / 100)}</span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
