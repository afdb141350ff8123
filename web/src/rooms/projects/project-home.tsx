import { Badge } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useTexts } from '../../i18n/catalogue.ts';
import { CopyIcon } from '../../ui/copy-button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { IconCube } from '../../ui/icons.tsx';
import { Panel } from '../../ui/panel.tsx';
import { Part } from '../../ui/part.tsx';
import { RowsSkeleton } from '../../ui/rows-skeleton.tsx';
import { CallExamples } from './call-examples.tsx';
import styles from './project-home.module.css';
import { hostedModelsQuery, type Project, projectQuery } from './projects-queries.ts';
import { projectsTexts } from './projects-texts.ts';

const route = getRouteApi('/signed-in/projects/$owner/$project');

const stateColors = { active: 'pine', inactive: 'gray', warming: 'amber', failed: 'rust' } as const;

export function ProjectHome() {
  const { data: project } = useSuspenseQuery(projectQuery(route.useParams()));
  return (
    <>
      <BaseUrl url={project.inference_base_url} />
      <Part skeleton={<RowsSkeleton columns={2} rows={5} />}>
        <Models project={project} />
      </Part>
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

function Models({ project }: { project: Project }) {
  const t = useTexts(projectsTexts);
  const { data } = useSuspenseQuery(hostedModelsQuery(route.useParams()));
  const callable = data.data.filter(({ state }) => state === 'active').map(({ alias }) => alias);
  const [first, ...rest] = callable;
  return (
    <>
      {first !== undefined && project.archived_at === null && (
        <CallExamples project={project} models={[first, ...rest]} />
      )}
      <Panel title={t.modelsTitle}>
        {data.data.length === 0 && (
          <Empty icon={IconCube} title={t.noModelsTitle}>
            {t.noModels}
          </Empty>
        )}
        <ul className={styles.models}>
          {data.data.map(({ id, alias, display_name, base_model, state }) => (
            <li key={id}>
              <span>
                <code>{alias}</code>
                <small>{display_name === base_model ? base_model : `${display_name} · ${base_model}`}</small>
              </span>
              <Badge color={stateColors[state]}>{t.states[state]}</Badge>
            </li>
          ))}
        </ul>
      </Panel>
    </>
  );
}
