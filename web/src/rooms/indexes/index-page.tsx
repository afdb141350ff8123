import { Alert, Button } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { useTexts } from '../../i18n/catalogue.ts';
import { AsyncBoundary } from '../../ui/async-boundary.tsx';
import { BackLink } from '../../ui/back-link.tsx';
import { IconAlertCircle } from '../../ui/icons.tsx';
import { PageTitle } from '../../ui/page-title.tsx';
import { TableSkeleton } from '../../ui/table-skeleton.tsx';
import { useReadOnly, useVersionName } from '../data/index.ts';
import { BuildIndex } from './build-index.tsx';
import { IndexActions } from './index-actions.tsx';
import { IndexBadge } from './index-badge.tsx';
import { IndexDetails } from './index-details.tsx';
import { IndexProgress } from './index-progress.tsx';
import { IndexQuality } from './index-quality.tsx';
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
