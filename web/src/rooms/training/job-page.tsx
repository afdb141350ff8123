import { Alert, Button, Skeleton } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { useLanguage } from '../../i18n/language.tsx';
import { AsyncBoundary } from '../../ui/async-boundary.tsx';
import { BackLink } from '../../ui/back-link.tsx';
import { Description, DescriptionList } from '../../ui/description-list.tsx';
import { IconAlertCircle, IconDownload } from '../../ui/icons.tsx';
import { notifyProblem } from '../../ui/notify.tsx';
import { Panel } from '../../ui/panel.tsx';
import { saveFile } from '../../ui/save-file.ts';
import { TableSkeleton } from '../../ui/table-skeleton.tsx';
import { TitleRow } from '../../ui/title-row.tsx';
import { VersionLink } from '../data/index.ts';
import { type Project, projectQuery } from '../projects/index.ts';
import { AttemptsPanel } from './attempts-panel.tsx';
import { CurvesPanel } from './curves-panel.tsx';
import { JobActions } from './job-actions.tsx';
import { JobBadge } from './job-badge.tsx';
import { LogPanel } from './log-panel.tsx';
import { ProgressPanel } from './progress-panel.tsx';
import { ResultPanel } from './result-panel.tsx';
import { useFailureText } from './server-texts.ts';
import { SettingsPanel } from './settings-panel.tsx';
import styles from './training.module.css';
import { readFrozenRows } from './training-changes.ts';
import { frozenQuery, type Job, type JobPath, jobQuery } from './training-queries.ts';
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
      <CurvesPanel path={path} job={job} />
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

function FrozenPanel({ path, job, kind }: { path: JobPath; job: Job; kind: Project['kind'] }) {
  const t = useTexts(trainingTexts);
  const text = `${t.datasetText} ${t.samplesText[kind]}`;
  return (
    <Panel title={t.dataset} text={text} aside={<DownloadRows path={path} name={job.dataset_version_id} />}>
      <AsyncBoundary skeleton={<Skeleton height={44} />}>
        <Frozen path={path} kind={kind} version={job.dataset_version_id} />
      </AsyncBoundary>
    </Panel>
  );
}

type FrozenProps = { path: JobPath; kind: Project['kind']; version: string };

function Frozen({ path, kind, version }: FrozenProps) {
  const t = useTexts(trainingTexts);
  const format = useFormat();
  const { data } = useSuspenseQuery(frozenQuery(path));
  const { example_count, split_counts, tokens, sha256 } = data;
  const parts = (train: number, test: number) => t.split(format.number(train), format.number(test));
  const ofVersion = parts(split_counts.train, split_counts.test);
  return (
    <DescriptionList least="8.5rem">
      <Description name={t.version}>
        <VersionLink at={path} version={version} />
      </Description>
      {/* After preparation the counts say what was held out. */}
      <Description name={t.examples} more={!tokens && ofVersion}>
        {format.number(example_count)}
      </Description>
      {tokens && (
        <Description name={t.samples[kind]} more={parts(tokens.samples, tokens.held_out)}>
          {format.number(tokens.samples + tokens.held_out)}
        </Description>
      )}
      {/* Embedding models learn pairs. */}
      {tokens && tokens.trained > 0 && (
        <Description name={t.learnedTokens}>{format.shortNumber(tokens.trained)}</Description>
      )}
      {tokens && <Description name={t.dropped}>{format.number(tokens.dropped)}</Description>}
      <Description name={t.digest}>
        <span className={styles.digest}>{sha256.slice(0, 12)}…</span>
      </Description>
    </DescriptionList>
  );
}

function DownloadRows({ path, name }: { path: JobPath; name: string }) {
  const t = useTexts(trainingTexts);
  const { language } = useLanguage();
  const [isBusy, setBusy] = useState(false);
  const download = async () => {
    setBusy(true);
    await readFrozenRows(path).then(
      (rows) => saveFile(`${name}.jsonl`, 'application/x-ndjson', rows),
      (error: unknown) => notifyProblem(error, language),
    );
    setBusy(false);
  };
  return (
    <Button variant="default" size="xs" leftSection={<IconDownload size={14} />} loading={isBusy} onClick={download}>
      {t.downloadRows}
    </Button>
  );
}
