import { Alert } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useTexts } from '../../i18n/catalogue.ts';
import { AsyncBoundary } from '../../ui/async-boundary.tsx';
import { BackLink } from '../../ui/back-link.tsx';
import { IconAlertCircle } from '../../ui/icons.tsx';
import { Panel } from '../../ui/panel.tsx';
import { TableSkeleton } from '../../ui/table-skeleton.tsx';
import { TitleRow } from '../../ui/title-row.tsx';
import { CallExamples, type Project, projectQuery } from '../projects/index.ts';
import { AccessPanel } from './access-panel.tsx';
import { ModelActions } from './model-actions.tsx';
import { StateBadge } from './model-badges.tsx';
import { ModelDetails } from './model-details.tsx';
import { type HostedModel, hostedModelQuery } from './models-queries.ts';
import { modelsTexts } from './models-texts.ts';
import { RevisionsPanel } from './revisions-panel.tsx';
import { SharesPanel } from './shares-panel.tsx';

const route = getRouteApi('/signed-in/projects/$owner/$project/hosted-models/$id');

export function HostedModelPage() {
  const t = useTexts(modelsTexts);
  const { owner, project } = route.useParams();
  return (
    <>
      <BackLink to="/projects/$owner/$project/hosted-models" params={{ owner, project }}>
        {t.back}
      </BackLink>
      <AsyncBoundary skeleton={<TableSkeleton columns={3} rows={8} />}>
        <Model />
      </AsyncBoundary>
    </>
  );
}

function Model() {
  const path = route.useParams();
  const { data: project } = useSuspenseQuery(projectQuery(path));
  const { data: model } = useSuspenseQuery(hostedModelQuery(path));
  const isOpen = project.archived_at === null;
  return (
    <>
      <TitleRow title={model.alias} badge={<StateBadge state={model.state} />}>
        {isOpen && <ModelActions path={path} model={model} />}
      </TitleRow>
      {model.error && <LoadFailure error={model.error} />}
      <ModelDetails path={path} model={model} />
      {isOpen && <HowToCall project={project} model={model} />}
      <AccessPanel path={path} model={model} isOpen={isOpen} />
      {model.visibility !== 'public' && <SharesPanel path={path} model={model} isOpen={isOpen} />}
      <RevisionsPanel path={path} model={model} isOpen={isOpen} />
    </>
  );
}

function LoadFailure({ error }: { error: NonNullable<HostedModel['error']> }) {
  const t = useTexts(modelsTexts);
  return (
    <Alert color="rust" icon={<IconAlertCircle />} title={t.failedTitle}>
      {error.message} {t.failedNext}
    </Alert>
  );
}

function HowToCall({ project, model }: { project: Project; model: HostedModel }) {
  const t = useTexts(modelsTexts);
  if (model.state === 'active') return <CallExamples project={project} models={[model.alias]} />;
  return (
    <Panel title={t.callIt} text={model.state === 'warming' ? t.soonActive : t.notActive}>
      {null}
    </Panel>
  );
}
