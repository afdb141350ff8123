import { Alert } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { AsyncBoundary } from '../../ui/async-boundary.tsx';
import { BackLink } from '../../ui/back-link.tsx';
import { IconAlertCircle } from '../../ui/icons.tsx';
import { TableSkeleton } from '../../ui/table-skeleton.tsx';
import { TitleRow } from '../../ui/title-row.tsx';
import { projectQuery } from '../projects/index.ts';
import { AttemptsPanel } from './attempts-panel.tsx';
import { CurvesPanel } from './curves-panel.tsx';
import { FrozenPanel } from './frozen-panel.tsx';
import { JobActions } from './job-actions.tsx';
import { JobBadge } from './job-badge.tsx';
import { LogPanel } from './log-panel.tsx';
import { ProgressPanel } from './progress-panel.tsx';
import { ResultPanel } from './result-panel.tsx';
import { useFailureText } from './server-texts.ts';
import { SettingsPanel } from './settings-panel.tsx';
import { type Job, jobQuery } from './training-queries.ts';
import { trainingTexts } from './training-texts.ts';
import { useJobStream } from './use-job-stream.ts';

const route = getRouteApi('/signed-in/projects/$owner/$project/training-jobs/$id');

export function JobPage() {
  const t = useTexts(trainingTexts);
  const { owner, project } = route.useParams();
  return (
    <>
      <BackLink to="/projects/$owner/$project/training-jobs" params={{ owner, project }}>
        {t.back}
      </BackLink>
      <AsyncBoundary skeleton={<TableSkeleton columns={3} rows={8} />}>
        <JobParts />
      </AsyncBoundary>
    </>
  );
}

function JobParts() {
  const path = route.useParams();
  const { data: project } = useSuspenseQuery(projectQuery(path));
  const { data: job } = useSuspenseQuery(jobQuery(path));
  const { lines, state } = useJobStream(path, job.attempt);
  return (
    <>
      <TitleRow title={job.name} badge={<JobBadge state={job.state} />}>
        {project.archived_at === null && <JobActions path={path} job={job} project={project} />}
      </TitleRow>
      {job.error && <Failure error={job.error} />}
      <ProgressPanel job={job} kind={project.kind} />
      {job.result && <ResultPanel path={path} job={job} result={job.result} />}
      <CurvesPanel path={path} />
      <LogPanel lines={lines} state={state} />
      <FrozenPanel path={path} job={job} kind={project.kind} />
      <SettingsPanel path={path} job={job} />
      <AttemptsPanel path={path} />
    </>
  );
}

function Failure({ error }: { error: NonNullable<Job['error']> }) {
  const t = useTexts(trainingTexts);
  const format = useFormat();
  const textOf = useFailureText();
  return (
    <Alert color="rust" icon={<IconAlertCircle />} title={t.failure}>
      {textOf(error)} {error.log_seq !== null && t.seeLog(format.number(error.log_seq))}
    </Alert>
  );
}
