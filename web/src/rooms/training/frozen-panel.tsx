import { Button, Skeleton } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { useLanguage } from '../../i18n/language.tsx';
import { AsyncBoundary } from '../../ui/async-boundary.tsx';
import { Description, DescriptionList } from '../../ui/description-list.tsx';
import { IconDownload } from '../../ui/icons.tsx';
import { notifyProblem } from '../../ui/notify.tsx';
import { Panel } from '../../ui/panel.tsx';
import { saveFile } from '../../ui/save-file.ts';
import { VersionLink } from '../data/index.ts';
import type { Project } from '../projects/index.ts';
import styles from './training.module.css';
import { readFrozenRows } from './training-changes.ts';
import { frozenQuery, type Job, type JobPath } from './training-queries.ts';
import { trainingTexts } from './training-texts.ts';

export function FrozenPanel({ path, job, kind }: { path: JobPath; job: Job; kind: Project['kind'] }) {
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
