import { Button } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { sharedTexts } from '../../i18n/shared-texts.ts';
import { AsyncBoundary } from '../../ui/async-boundary.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { IconCube, IconPlus } from '../../ui/icons.tsx';
import { LoadMore } from '../../ui/load-more.tsx';
import { Panel } from '../../ui/panel.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { TableSkeleton } from '../../ui/table-skeleton.tsx';
import { useList } from '../../ui/use-list.ts';
import { projectQuery } from '../projects/index.ts';
import { CreateAlias } from './create-alias.tsx';
import { AccessBadge, StateBadge } from './model-badges.tsx';
import styles from './models.module.css';
import { type HostedModel, hostedListQuery } from './models-queries.ts';
import { modelsTexts } from './models-texts.ts';
import { useTargetName } from './use-target-name.ts';

const route = getRouteApi('/signed-in/projects/$owner/$project/hosted-models');

export function HostedModelsPage() {
  const t = useTexts(modelsTexts);
  const params = route.useParams();
  const { data: project } = useSuspenseQuery(projectQuery(params));
  const [isCreating, setCreating] = useState(false);
  const create = project.archived_at === null && (
    <Button size="xs" leftSection={<IconPlus size={16} />} onClick={() => setCreating(true)}>
      {t.create}
    </Button>
  );
  return (
    <>
      <Panel title={t.title} text={t.lead} aside={create} flush>
        <AsyncBoundary skeleton={<TableSkeleton columns={5} />}>
          <HostedList kind={project.kind} />
        </AsyncBoundary>
      </Panel>
      <CreateAlias project={project} isOpen={isCreating} onClose={() => setCreating(false)} />
    </>
  );
}

function HostedList({ kind }: { kind: HostedModel['kind'] }) {
  const t = useTexts(modelsTexts);
  const { list, rows: models } = useList(hostedListQuery(route.useParams()));
  const targetName = useTargetName(
    kind,
    models.map(({ target }) => target),
  );
  const columns = useColumns(targetName);
  if (models.length === 0)
    return (
      <EmptyState icon={IconCube} title={t.emptyTitle}>
        {t.empty}
      </EmptyState>
    );
  return (
    <>
      <DataTable
        label={t.title}
        columns={columns}
        rows={models}
        idOf={({ id }) => id}
        isDim={({ enabled }) => !enabled}
      />
      <LoadMore list={list} shown={models.length} />
    </>
  );
}

function useColumns(targetName: (target: HostedModel['target']) => string): Column<HostedModel>[] {
  const t = useTexts(modelsTexts);
  const { never } = useTexts(sharedTexts);
  const format = useFormat();
  const params = route.useParams();
  return [
    {
      key: 'alias',
      label: t.alias,
      isName: true,
      render: ({ id, alias, display_name }) => (
        <>
          <Link className={styles.alias} to="/projects/$owner/$project/hosted-models/$id" params={{ ...params, id }}>
            {alias}
          </Link>
          {display_name !== alias && <span className={styles.quiet}>{display_name}</span>}
        </>
      ),
    },
    { key: 'target', label: t.target, render: ({ target }) => targetName(target) },
    { key: 'state', label: t.state, render: ({ state }) => <StateBadge state={state} /> },
    { key: 'access', label: t.visibility, render: ({ visibility }) => <AccessBadge visibility={visibility} /> },
    {
      key: 'rate',
      label: t.rate,
      align: 'end',
      render: ({ rate }) => t.perMinute(format.credits(rate.credits_per_gpu_minute)),
    },
    {
      key: 'called',
      label: t.lastCalled,
      align: 'end',
      render: ({ last_called_at }) => (last_called_at ? <RelativeTime at={last_called_at} /> : never),
    },
  ];
}
