import { Button, Group, Text } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { useLanguage } from '../../i18n/language.tsx';
import { AsyncBoundary } from '../../ui/async-boundary.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { IconCube, IconPlus } from '../../ui/icons.tsx';
import { notifyProblem } from '../../ui/notify.tsx';
import { Panel } from '../../ui/panel.tsx';
import { ProblemNote } from '../../ui/problem-note.tsx';
import { TableSkeleton } from '../../ui/table-skeleton.tsx';
import { Tag } from '../../ui/tag.tsx';
import { AddRoute } from './add-route.tsx';
import {
  type RouteTest,
  type ServingRoute,
  servingRoutesQuery,
  useDeleteRoute,
  useDrainRoute,
  useTestRoute,
} from './operator-queries.ts';
import { operatorTexts } from './operator-texts.ts';

export function ServingRoutesPage() {
  const t = useTexts(operatorTexts);
  const [isAdding, setAdding] = useState(false);
  const add = (
    <Button size="xs" leftSection={<IconPlus size={14} />} onClick={() => setAdding(true)}>
      {t.addRoute}
    </Button>
  );
  return (
    <>
      <Panel title={t.routes} text={t.routesText} flush aside={add}>
        <AsyncBoundary skeleton={<TableSkeleton columns={4} />}>
          <Routes />
        </AsyncBoundary>
      </Panel>
      <AddRoute isOpen={isAdding} onClose={() => setAdding(false)} />
    </>
  );
}

function Routes() {
  const t = useTexts(operatorTexts);
  const format = useFormat();
  const { data } = useSuspenseQuery(servingRoutesQuery);
  if (data.data.length === 0)
    return (
      <EmptyState icon={IconCube} title={t.noRoutes}>
        {t.noRoutesText}
      </EmptyState>
    );
  const columns: Column<ServingRoute>[] = [
    {
      key: 'name',
      label: t.routeName,
      isName: true,
      render: ({ name, url }) => (
        <>
          {name}
          <Text size="xs" c="dimmed">
            {url}
          </Text>
        </>
      ),
    },
    { key: 'model', label: t.baseModel, render: ({ base_model_id }) => base_model_id },
    { key: 'api', label: t.api, isSpare: true, render: ({ api }) => api },
    {
      key: 'capacity',
      label: t.capacity,
      align: 'end',
      isSpare: true,
      render: ({ capacity }) => format.number(capacity),
    },
    {
      key: 'state',
      label: t.state,
      render: ({ draining }) => <Tag color={draining ? 'amber' : 'pine'}>{draining ? t.draining : t.on}</Tag>,
    },
    {
      key: 'actions',
      label: t.actions,
      isLabelHidden: true,
      align: 'end',
      render: (route) => <RouteActions route={route} />,
    },
  ];
  return <DataTable label={t.routes} columns={columns} rows={data.data} idOf={({ name }) => name} />;
}

function RouteActions({ route: { name, draining } }: { route: ServingRoute }) {
  const t = useTexts(operatorTexts);
  const { language } = useLanguage();
  const [isRemoving, setRemoving] = useState(false);
  const test = useTestRoute();
  const drain = useDrainRoute();
  const remove = useDeleteRoute();
  const result = test.data;
  return (
    <>
      <Group gap="xs" justify="flex-end">
        <Button size="xs" variant="default" loading={test.isPending} onClick={() => test.mutate(name)}>
          {t.test}
        </Button>
        <Button
          size="xs"
          variant="default"
          loading={drain.isPending}
          onClick={() =>
            drain.mutate({ name, draining: !draining }, { onError: (error) => notifyProblem(error, language) })
          }
        >
          {draining ? t.resume : t.drain}
        </Button>
        <Button size="xs" variant="default" onClick={() => setRemoving(true)}>
          {t.removeRoute}
        </Button>
      </Group>
      {result && (
        <Text size="xs" mt={4} c={result.error === null ? 'dimmed' : 'rust'} role="alert">
          {result.error ?? <TestResult result={result} />}
        </Text>
      )}
      {test.error && <ProblemNote error={test.error} />}
      <Confirm
        isOpen={isRemoving}
        onClose={() => setRemoving(false)}
        title={t.removeRouteTitle(name)}
        action={t.removeRoute}
        isBusy={remove.isPending}
        error={remove.error}
        onConfirm={() => remove.mutate(name)}
      >
        <Text>{t.removeRouteText}</Text>
      </Confirm>
    </>
  );
}

function TestResult({ result: { latency_ms, models, answer } }: { result: RouteTest }) {
  const t = useTexts(operatorTexts);
  const format = useFormat();
  const names = models ? t.hasModels(format.list(models.slice(0, 5))) : '';
  return (
    <>
      {t.reached(format.duration(latency_ms ?? 0), names)} {answer && <Sample sample={answer} />}
    </>
  );
}

function Sample({ sample: { text, dimensions, latency_ms } }: { sample: NonNullable<RouteTest['answer']> }) {
  const t = useTexts(operatorTexts);
  const format = useFormat();
  const time = format.duration(latency_ms);
  if (text !== null) return t.answeredText(time, text.trim());
  return dimensions === null ? t.answeredScore(time) : t.answeredVector(time, format.number(dimensions));
}
