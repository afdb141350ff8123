import { Alert, Button, Progress } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { AsyncBoundary } from '../../ui/async-boundary.tsx';
import { BackLink } from '../../ui/back-link.tsx';
import { Description, DescriptionList } from '../../ui/description-list.tsx';
import { IconAlertCircle } from '../../ui/icons.tsx';
import { PageTitle } from '../../ui/page-title.tsx';
import { Panel } from '../../ui/panel.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { TableSkeleton } from '../../ui/table-skeleton.tsx';
import { useReadOnly, useVersionName } from '../data/index.ts';
import { BuildIndex } from './build-index.tsx';
import { IndexActions } from './index-actions.tsx';
import { IndexBadge } from './index-badge.tsx';
import styles from './indexes.module.css';
import { type Index, indexQuery, isInProgress, isSearchable } from './indexes-queries.ts';
import { indexesTexts } from './indexes-texts.ts';
import { MiningPanel } from './mining-panel.tsx';
import { SearchPanel } from './search-panel.tsx';

const route = getRouteApi('/signed-in/projects/$owner/$project/data/$dataset/indexes/$index');

export function IndexPage() {
  const t = useTexts(indexesTexts);
  const { index: _index, ...at } = route.useParams();
  return (
    <>
      <BackLink className={styles.back} to="/projects/$owner/$project/data/$dataset/indexes" params={at}>
        {t.back}
      </BackLink>
      <AsyncBoundary skeleton={<TableSkeleton columns={3} rows={6} />}>
        <IndexParts />
      </AsyncBoundary>
    </>
  );
}

function IndexParts() {
  const t = useTexts(indexesTexts);
  const at = route.useParams();
  const { data: index } = useSuspenseQuery(indexQuery(at));
  const version = useVersionName(at, index.version_id);
  const isReadOnly = useReadOnly(at);
  return (
    <>
      <div className={styles.head}>
        <div className={styles.title}>
          <PageTitle order={3}>{t.titleOf(index.model, version)}</PageTitle>
          <IndexBadge state={index.state} />
        </div>
        {!isReadOnly && <IndexActions at={at} index={index} />}
      </div>
      <Ended index={index} isReadOnly={isReadOnly} />
      {isInProgress(index) && <IndexProgress index={index} />}
      {isSearchable(index) && <IndexQuality index={index} />}
      {isSearchable(index) && <SearchPanel at={at} />}
      {isSearchable(index) && !isReadOnly && <MiningPanel at={at} />}
      <IndexDetails index={index} />
    </>
  );
}

function Ended({ index: { state, error, model }, isReadOnly }: { index: Index; isReadOnly: boolean }) {
  const t = useTexts(indexesTexts);
  const { index: _index, ...at } = route.useParams();
  const [isBuilding, setBuilding] = useState(false);
  if (state !== 'stale' && state !== 'failed' && state !== 'canceled') return null;
  const title = state === 'stale' ? t.staleTitle : state === 'failed' ? t.failedTitle : t.states.canceled;
  const text = state === 'stale' ? t.stale : state === 'failed' ? error?.message : t.canceledText;
  return (
    <>
      <Alert color={state === 'failed' ? 'rust' : 'amber'} icon={<IconAlertCircle />} title={title}>
        {text}
        {!isReadOnly && (
          <Button variant="default" size="xs" mt="xs" display="block" onClick={() => setBuilding(true)}>
            {t.buildAgain}
          </Button>
        )}
      </Alert>
      <BuildIndex at={at} model={model} isOpen={isBuilding} onClose={() => setBuilding(false)} />
    </>
  );
}

function IndexProgress({ index: { progress, state } }: { index: Index }) {
  const t = useTexts(indexesTexts);
  const format = useFormat();
  const { phase, done, total, percent } = progress;
  return (
    <Panel
      title={t.progress}
      text={phase === null ? t.states[state] : t.phases[phase]}
      aside={total !== null && t.progressOf(format.number(done), format.number(total))}
    >
      <Progress value={percent ?? 0} size={8} aria-label={t.progress} animated={state === 'building'} />
    </Panel>
  );
}

const names = ['recall_at_1', 'recall_at_10', 'recall_at_100', 'mrr_at_10', 'ndcg_at_10'] as const;

function IndexQuality({ index: { metrics } }: { index: Index }) {
  const t = useTexts(indexesTexts);
  const format = useFormat();
  if (metrics === null) return <Panel title={t.quality}>{t.noQuality}</Panel>;
  return (
    <Panel title={t.quality} text={t.qualityText(format.number(metrics.queries))}>
      <dl className={styles.metrics}>
        {names.map((name) => (
          <div key={name}>
            <dt>{t.metrics[name].name}</dt>
            <dd>
              {format.shortAmount(metrics[name])}
              <span className={styles.quiet}>{t.metrics[name].text}</span>
            </dd>
          </div>
        ))}
      </dl>
    </Panel>
  );
}

function IndexDetails({ index }: { index: Index }) {
  const t = useTexts(indexesTexts);
  const format = useFormat();
  const { documents, truncated, model_revision: revision } = index;
  return (
    <Panel title={t.about}>
      <DescriptionList least="8rem">
        <Description name={t.documents} more={truncated > 0 && t.truncated(format.number(truncated))}>
          {documents === null ? '–' : format.number(documents)}
        </Description>
        <Description name={t.baseModel} more={revision !== null && t.revision(format.number(revision))}>
          {index.base_model}
        </Description>
        <Description name={t.dimensions}>{format.number(index.dimensions)}</Description>
        <Description name={t.activeTime}>{format.duration(index.active_ms)}</Description>
        <Description name={t.credits} more={t.rate(format.credits(index.rate.credits_per_gpu_minute))}>
          {format.credits(index.credits)}
        </Description>
        <Description name={t.created}>
          <RelativeTime at={index.created_at} />
        </Description>
      </DescriptionList>
    </Panel>
  );
}
