import { Alert } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { IconAlertCircle, IconArrowLeft } from '../../ui/icons.tsx';
import { Part } from '../../ui/part.tsx';
import { RowsSkeleton } from '../../ui/rows-skeleton.tsx';
import { projectQuery } from '../projects/projects-queries.ts';
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
import styles from './training.module.css';
import { type Job, jobQuery } from './training-queries.ts';
import { trainingTexts } from './training-texts.ts';
import { useJobStream } from './use-job-stream.ts';

const route = getRouteApi('/signed-in/projects/$owner/$project/training-jobs/$id');

export function JobPage() {
  const t = useTexts(trainingTexts);
  const { owner, project } = route.useParams();
  return (
    <>
      <Link className={styles.back} to="/projects/$owner/$project/training-jobs" params={{ owner, project }}>
        <IconArrowLeft size={14} /> {t.back}
      </Link>
      <Part skeleton={<RowsSkeleton columns={3} rows={8} />}>
        <JobParts />
      </Part>
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
      <div className={styles.head}>
        <div className={styles.title}>
          <h2>{job.name}</h2>
          <JobBadge state={job.state} />
        </div>
        {project.archived_at === null && <JobActions path={path} job={job} project={project} />}
      </div>
      {job.error && <Failure error={job.error} />}
      <ProgressPanel job={job} />
      {job.result && <ResultPanel path={path} job={job} result={job.result} />}
      <CurvesPanel path={path} />
      <LogPanel lines={lines} state={state} />
      <FrozenPanel path={path} job={job} />
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
