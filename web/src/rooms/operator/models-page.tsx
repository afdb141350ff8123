import { Button, Group, Text } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { AsyncBoundary } from '../../ui/async-boundary.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { IconPlus } from '../../ui/icons.tsx';
import { Panel } from '../../ui/panel.tsx';
import { TableSkeleton } from '../../ui/table-skeleton.tsx';
import { Tag } from '../../ui/tag.tsx';
import { AddModel } from './add-model.tsx';
import { FindModels } from './find-models.tsx';
import { ModelMenu } from './model-menu.tsx';
import { modelsTexts } from './models-texts.ts';
import { type OperatorModel, operatorModelsQuery } from './operator-queries.ts';
import { Pulls } from './pulls.tsx';
import { useBytes } from './use-bytes.ts';

export function ModelsPage() {
  const t = useTexts(modelsTexts);
  const [isAdding, setAdding] = useState(false);
  return (
    <>
      <FindModels />
      <AsyncBoundary skeleton={null}>
        <Pulls />
      </AsyncBoundary>
      <Panel
        title={t.installed}
        text={
          <AsyncBoundary skeleton={<span>…</span>}>
            <Machine />
          </AsyncBoundary>
        }
        flush
        aside={
          <Button variant="default" size="xs" leftSection={<IconPlus size={14} />} onClick={() => setAdding(true)}>
            {t.addFile}
          </Button>
        }
      >
        <AsyncBoundary skeleton={<TableSkeleton columns={5} />}>
          <Models />
        </AsyncBoundary>
      </Panel>
      <AddModel isOpen={isAdding} onClose={() => setAdding(false)} />
    </>
  );
}

function Machine() {
  const t = useTexts(modelsTexts);
  const bytes = useBytes();
  const { data } = useSuspenseQuery(operatorModelsQuery);
  const { memory_bytes, gpu } = data.machine;
  const name = gpu && `${gpu.devices.join(', ')} (${bytes(gpu.memory_bytes)})`;
  return <>{name ? t.machineGpu(bytes(memory_bytes), name) : t.machine(bytes(memory_bytes))}</>;
}

function Models() {
  const t = useTexts(modelsTexts);
  const { data } = useSuspenseQuery(operatorModelsQuery);
  const installed = data.data.filter((model) => model.installed);
  return <DataTable label={t.installed} columns={useColumns()} rows={installed} idOf={({ id }) => id} />;
}

function useColumns(): Column<OperatorModel>[] {
  const t = useTexts(modelsTexts);
  const format = useFormat();
  const bytes = useBytes();
  return [
    {
      key: 'id',
      label: t.model,
      isName: true,
      render: ({ id, name }) => (
        <>
          {name}
          <Text size="xs" c="dimmed">
            {id}
          </Text>
        </>
      ),
    },
    { key: 'kind', label: t.kind, isSpare: true, render: ({ kind }) => t.kinds[kind] },
    {
      key: 'memory',
      label: t.memory,
      render: ({ size_bytes, planned }) => (
        <span>
          {planned ? bytes(planned.model.memory_bytes + planned.model.vram_bytes) : '–'}
          <Text size="xs" c="dimmed" span display="block">
            {size_bytes === null ? '' : t.file(bytes(size_bytes))}
          </Text>
        </span>
      ),
    },
    { key: 'context', label: t.context, isSpare: true, render: (model) => format.number(model.max_context_tokens) },
    { key: 'runs', label: t.runsOn, render: ({ runtime, planned }) => runtime.runs_on ?? planned?.runs_on ?? '–' },
    { key: 'state', label: t.state, render: ({ runtime }) => <Runtime runtime={runtime} /> },
    {
      key: 'actions',
      label: t.actions,
      isLabelHidden: true,
      align: 'end',
      render: (model) => <ModelMenu model={model} />,
    },
  ];
}

const colors = { cold: 'gray', loading: 'amber', ready: 'pine', failed: 'rust' } as const;

function Runtime({ runtime }: Pick<OperatorModel, 'runtime'>) {
  const t = useTexts(modelsTexts);
  const format = useFormat();
  const { status, running, waiting, error } = runtime;
  return (
    <Group gap="xs">
      <Tag color={colors[status]}>{t.states[status]}</Tag>
      {running + waiting > 0 && (
        <Text size="xs" c="dimmed">
          {t.load(format.number(running), format.number(waiting))}
        </Text>
      )}
      {error && (
        <Text size="xs" c="dimmed">
          {error}
        </Text>
      )}
    </Group>
  );
}
