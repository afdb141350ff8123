import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { lazy } from 'react';
import { useTexts } from '../../i18n/catalogue.ts';
import { AsyncBoundary } from '../../ui/async-boundary.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { IconLock, IconMessageCircle } from '../../ui/icons.tsx';
import { TableSkeleton } from '../../ui/table-skeleton.tsx';
import { trainedModelsQuery } from '../models/index.ts';
import {
  baseModelsQuery,
  hostedModelsQuery,
  type Project,
  projectQuery,
  sharedModelsQuery,
} from '../projects/index.ts';
import { ChatPlayground } from './chat-playground.tsx';
import { choicesOf } from './choices.ts';
import { playgroundTexts } from './playground-texts.ts';

const route = getRouteApi('/signed-in/projects/$owner/$project');
const playground = getRouteApi('/signed-in/projects/$owner/$project/playground');
const EmbeddingPlayground = lazy(async () => {
  const { EmbeddingPlayground: page } = await import('./embedding-playground.tsx');
  return { default: page };
});

const RerankPanel = lazy(async () => {
  const { RerankPanel: panel } = await import('./rerank-panel.tsx');
  return { default: panel };
});

export function PlaygroundPage() {
  const t = useTexts(playgroundTexts);
  const { data: project } = useSuspenseQuery(projectQuery(route.useParams()));
  if (project.caller_role !== 'owner')
    return (
      <EmptyState icon={IconLock} title={t.ownerTitle}>
        {t.ownerText}
      </EmptyState>
    );
  return (
    <AsyncBoundary skeleton={<TableSkeleton columns={2} rows={6} />}>
      <Models project={project} />
    </AsyncBoundary>
  );
}

function Models({ project }: { project: Project }) {
  const t = useTexts(playgroundTexts);
  const { data: bases } = useSuspenseQuery(baseModelsQuery);
  const { data: hosted, isFetching: isHostedOld } = useSuspenseQuery(hostedModelsQuery(route.useParams()));
  const { data: trained, isFetching: isTrainedOld } = useSuspenseQuery(trainedModelsQuery(project.kind));
  const { data: shared, isFetching: isSharedOld } = useSuspenseQuery(sharedModelsQuery);
  const { model } = playground.useSearch();
  // Searches are tried in the project itself.
  const ofOthers = project.kind === 'text' ? shared.data : [];
  const found = { hosted: hosted.data, trained: trained.data, shared: ofOthers, bases: bases.data };
  const [first, ...others] = choicesOf(project.kind, found);
  const [reranker, ...rerankers] = project.kind === 'embedding' ? choicesOf('reranker', found) : [];
  // A new model may be missing in the cached list.
  const isKnown =
    model === undefined || [first, ...others, reranker, ...rerankers].some((choice) => choice?.id === model);
  if (!isKnown && (isHostedOld || isTrainedOld || isSharedOld)) return <TableSkeleton columns={2} rows={6} />;
  if (!first && !reranker)
    return (
      <EmptyState icon={IconMessageCircle} title={t.noModelsTitle}>
        {t.noModelsText}
      </EmptyState>
    );
  const Playground = project.kind === 'text' ? ChatPlayground : EmbeddingPlayground;
  return (
    <>
      {first && <Playground project={project} choices={[first, ...others]} />}
      {reranker && <RerankPanel project={project} choices={[reranker, ...rerankers]} />}
    </>
  );
}
