import { Skeleton } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useTexts } from '../../i18n/catalogue.ts';
import { AsyncBoundary } from '../../ui/async-boundary.tsx';
import { BackLink } from '../../ui/back-link.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { IconCube, IconDatabase } from '../../ui/icons.tsx';
import { Panel } from '../../ui/panel.tsx';
import { TextLink } from '../../ui/text-link.tsx';
import { baseModelsQuery, projectQuery } from '../projects/index.ts';
import { NewJobForm } from './new-job-form.tsx';
import { newJobTexts } from './new-job-texts.ts';
import { isTrainable } from './trainable.ts';
import { datasetChoiceQuery, jobQuery } from './training-queries.ts';
import { trainingTexts } from './training-texts.ts';
import type { NewJobFormProps } from './use-job-form.ts';

const route = getRouteApi('/signed-in/projects/$owner/$project/training-jobs/new');

export function NewJobPage() {
  const t = useTexts(trainingTexts);
  const { owner, project } = route.useParams();
  return (
    <>
      <BackLink to="/projects/$owner/$project/training-jobs" params={{ owner, project }}>
        {t.back}
      </BackLink>
      <AsyncBoundary skeleton={<Skeleton height={520} radius="lg" />}>
        <NewJob />
      </AsyncBoundary>
    </>
  );
}

function NewJob() {
  const t = useTexts(newJobTexts);
  const params = route.useParams();
  const search = route.useSearch();
  const { data: project } = useSuspenseQuery(projectQuery(params));
  const { data: bases } = useSuspenseQuery(baseModelsQuery);
  const { data: datasets } = useSuspenseQuery(datasetChoiceQuery(params));
  const ofKind = bases.data.filter(({ kind }) => kind === project.kind);
  if (!ofKind.some(isTrainable))
    return (
      <Panel>
        <EmptyState icon={IconCube} title={t.nothingTrainableTitle}>
          {t.nothingTrainable}
        </EmptyState>
      </Panel>
    );
  if (datasets.data.length === 0)
    return (
      <Panel>
        <EmptyState
          icon={IconDatabase}
          title={t.noDatasetsTitle}
          action={
            <TextLink to="/projects/$owner/$project/data" params={params}>
              {t.toData}
            </TextLink>
          }
        >
          {t.noDatasets}
        </EmptyState>
      </Panel>
    );
  const form = { path: params, bases: ofKind, datasets: datasets.data };
  if (search.from !== undefined) return <FormOfJob {...form} from={search.from} />;
  return <NewJobForm {...form} begin={search} />;
}

function FormOfJob({ from, ...form }: Omit<NewJobFormProps, 'begin'> & { from: string }) {
  const { data: job } = useSuspenseQuery(jobQuery({ ...form.path, id: from }));
  const { base_model, dataset_id, dataset_version_id, hyperparameters, evaluation } = job;
  const begin = {
    base: base_model,
    dataset: dataset_id,
    version: dataset_version_id,
    settings: hyperparameters,
    control: evaluation.control,
  };
  return <NewJobForm {...form} begin={begin} />;
}
