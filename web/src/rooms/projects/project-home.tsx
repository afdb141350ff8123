import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useTexts } from '../../i18n/catalogue.ts';
import { AsyncBoundary } from '../../ui/async-boundary.tsx';
import { CopyIcon } from '../../ui/copy-button.tsx';
import { Panel } from '../../ui/panel.tsx';
import { TableSkeleton } from '../../ui/table-skeleton.tsx';
import { NextThings } from './next-things.tsx';
import styles from './project-home.module.css';
import { ModelsOfOthers, OwnModels } from './project-models.tsx';
import { projectQuery } from './projects-queries.ts';
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
