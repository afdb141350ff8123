import { Alert, Group, Skeleton } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { type ErrorComponentProps, getRouteApi, Link, Outlet, useMatches, useRouter } from '@tanstack/react-router';
import { isProblem } from '../../api/problem.ts';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { sharedTexts } from '../../i18n/shared-texts.ts';
import { ButtonLink } from '../../ui/button-link.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { IconArchive, IconArrowLeft, IconChartLine, IconDatabase, IconUpload } from '../../ui/icons.tsx';
import listStyles from '../../ui/list-page.module.css';
import { PageTitle } from '../../ui/page-title.tsx';
import { Panel } from '../../ui/panel.tsx';
import { ProblemNote } from '../../ui/problem-note.tsx';
import { useScrollToActiveTab } from '../../ui/use-scroll-to-active-tab.ts';
import styles from './data.module.css';
import { DatasetMenu } from './dataset-menu.tsx';
import { useReadOnly } from './dataset-references.tsx';
import { type Dataset, datasetQuery } from './datasets-queries.ts';
import { datasetsTexts } from './datasets-texts.ts';

const route = getRouteApi('/signed-in/projects/$owner/$project/data/$dataset');

/** The last two are for embedding projects. */
const tabs = [
  { to: '/projects/$owner/$project/data/$dataset', text: 'examples', guide: 'datasets' },
  { to: '/projects/$owner/$project/data/$dataset/versions', text: 'versions', guide: 'datasets#versions' },
  { to: '/projects/$owner/$project/data/$dataset/indexes', text: 'indexes', guide: 'search-quality' },
  { to: '/projects/$owner/$project/data/$dataset/feedback', text: 'feedback', guide: 'search-feedback' },
] as const;

const tabsOf = ({ kind }: Dataset) => (kind === 'embedding' ? tabs : tabs.slice(0, 2));

/** The layout around every page of a dataset. */
export function DatasetFrame() {
  const t = useTexts(datasetsTexts);
  const params = route.useParams();
  const { data: dataset } = useSuspenseQuery(datasetQuery(params));
  const isArchived = dataset.archived_at !== null;
  const isReadOnly = useReadOnly(params);
  const fullPath = useMatches({ select: (matches) => matches.at(-1)?.fullPath ?? '' });
  const tab = tabs.find(({ to, text }) => text !== 'examples' && fullPath.startsWith(to)) ?? tabs[0];
  return (
    <div className={listStyles.stack}>
      <div className={styles.dataset}>
        <div>
          <p className={listStyles.where}>
            <Link to="/projects/$owner/$project/data" params={params}>
              <IconArrowLeft size={14} />
              {t.back}
            </Link>
          </p>
          <PageTitle order={2} tab={t.tabs[tab.text]} guide={tab.guide}>
            {dataset.name}
          </PageTitle>
          {dataset.description && <p>{dataset.description}</p>}
          <Facts dataset={dataset} />
        </div>
        <Group gap="xs">
          {!isReadOnly && dataset.example_count > 0 && (
            <ButtonLink
              to="/projects/$owner/$project/training-jobs/new"
              params={params}
              search={{ dataset: dataset.id }}
              leftSection={<IconChartLine size={16} />}
            >
              {t.train}
            </ButtonLink>
          )}
          {!isReadOnly && (
            <ButtonLink
              variant="default"
              to="/projects/$owner/$project/data/imports/$import"
              params={{ ...params, import: 'new' }}
              search={{ dataset: dataset.id }}
              leftSection={<IconUpload size={16} />}
            >
              {t.import}
            </ButtonLink>
          )}
          {(isArchived || !isReadOnly) && <DatasetMenu at={params} dataset={dataset} />}
        </Group>
      </div>
      {isArchived && (
        <Alert color="amber" icon={<IconArchive />}>
          {t.isArchived}
        </Alert>
      )}
      <Tabs dataset={dataset} />
      <Outlet />
    </div>
  );
}

function Facts({ dataset: { example_count, token_total } }: { dataset: Dataset }) {
  const t = useTexts(datasetsTexts);
  const format = useFormat();
  return <p>{t.facts(format.number(example_count), format.shortNumber(token_total))}</p>;
}

function Tabs({ dataset }: { dataset: Dataset }) {
  const t = useTexts(datasetsTexts);
  const format = useFormat();
  const params = route.useParams();
  const waiting = dataset.pending_retrieval_events;
  const box = useScrollToActiveTab();
  return (
    <nav ref={box} aria-label={t.tabsLabel} className={styles.tabs}>
      {tabsOf(dataset).map(({ to, text }) => (
        <Link key={to} to={to} params={params} activeOptions={{ exact: text === 'examples', includeSearch: false }}>
          {t.tabs[text]}
          {text === 'feedback' && waiting > 0 && <span className={styles.tabCount}>{format.shortNumber(waiting)}</span>}
        </Link>
      ))}
    </nav>
  );
}

export function DatasetFrameSkeleton() {
  const t = useTexts(sharedTexts);
  return (
    <div role="status" aria-label={t.loading}>
      <Skeleton height={12} width="6rem" mb="sm" />
      <Skeleton height={22} width="14rem" mb="sm" />
      <Skeleton height={12} width="12rem" mb="xl" />
      <Skeleton height={320} radius="lg" />
    </div>
  );
}

export function DatasetProblem({ error, reset }: ErrorComponentProps) {
  const t = useTexts(datasetsTexts);
  const router = useRouter();
  const params = route.useParams();
  const retry = () => {
    reset();
    void router.invalidate();
  };
  if (!isProblem(error) || error.status !== 404) return <ProblemNote error={error} onRetry={retry} />;
  return (
    <Panel>
      <EmptyState
        icon={IconDatabase}
        title={t.goneTitle}
        action={
          <ButtonLink to="/projects/$owner/$project/data" params={params}>
            {t.back}
          </ButtonLink>
        }
      >
        {t.gone}
      </EmptyState>
    </Panel>
  );
}
