import { Button, Group, NativeSelect, NumberInput, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { sharedTexts } from '../../i18n/shared-texts.ts';
import { AsyncBoundary } from '../../ui/async-boundary.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ProblemNote } from '../../ui/problem-note.tsx';
import { TableSkeleton } from '../../ui/table-skeleton.tsx';
import { useList } from '../../ui/use-list.ts';
import { datasetsQuery, NoDatasets, useDatasetOptions, useSavedNotice } from '../data/index.ts';
import type { ProjectPath } from '../projects/index.ts';
import { type Converted, convertTrialQuery, useConvertAll } from './saved-calls-changes.ts';
import type { CallsSearch } from './saved-calls-queries.ts';
import { savedCallsTexts } from './saved-calls-texts.ts';

type ConvertAllProps = { at: ProjectPath; filter: CallsSearch };

/** Previews the conversion of all listed calls, then converts them. */
export function ConvertAll(props: ConvertAllProps) {
  const t = useTexts(savedCallsTexts);
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <>
      <Button size="compact-xs" variant="light" onClick={() => setOpen(true)}>
        {t.convertAll}
      </Button>
      <Dialog opened={isOpen} onClose={close} title={t.convertTitle}>
        <AsyncBoundary skeleton={<TableSkeleton columns={1} rows={2} />}>
          <Conversion {...props} onClose={close} />
        </AsyncBoundary>
      </Dialog>
    </>
  );
}

function Conversion({ at, filter, onClose }: ConvertAllProps & { onClose: () => void }) {
  const t = useTexts(savedCallsTexts);
  const { cancel } = useTexts(sharedTexts);
  const format = useFormat();
  const { rows: datasets } = useList(datasetsQuery(at, {}));
  const options = useDatasetOptions(datasets);
  const notifySaved = useSavedNotice(at);
  const [dataset, setDataset] = useState(datasets[0]?.id ?? '');
  const [percent, setPercent] = useState<number | string>(20);
  const [done, setDone] = useState(0);
  const trial = useQuery({ ...convertTrialQuery(at, filter, dataset), enabled: dataset !== '' });
  const convert = useConvertAll(at, setDone);
  const count = (trial.data?.converted ?? 0) + (trial.data?.remaining ?? 0);
  const run = () =>
    convert.mutate(
      { filter, dataset, testRatio: Math.min(50, Math.max(0, Number(percent) || 0)) / 100 },
      {
        onSuccess: (converted) => {
          onClose();
          notifySaved(t.converted(format.number(converted)), dataset);
        },
      },
    );
  if (datasets.length === 0) return <NoDatasets at={at} />;
  return (
    <Stack gap="md">
      <NativeSelect
        label={t.keepIn}
        value={dataset}
        data={options}
        onChange={({ currentTarget: { value } }) => setDataset(value)}
      />
      <NumberInput label={t.testShare} min={0} max={50} allowDecimal={false} value={percent} onChange={setPercent} />
      {trial.isPending && <Skeleton height={14} width="70%" />}
      {trial.data && <Outcome outcome={trial.data} />}
      {convert.isPending && done > 0 && (
        <Text size="sm" aria-live="polite">
          {t.progress(format.number(done))}
        </Text>
      )}
      {(trial.error ?? convert.error) ? <ProblemNote error={trial.error ?? convert.error} /> : null}
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onClose}>
          {cancel}
        </Button>
        <Button loading={convert.isPending} disabled={count === 0} onClick={run}>
          {t.convertAction(format.number(count))}
        </Button>
      </Group>
    </Stack>
  );
}

function Outcome({ outcome }: { outcome: Converted }) {
  const t = useTexts(savedCallsTexts);
  const format = useFormat();
  const { converted, already_converted: before, duplicates, rejected, remaining } = outcome;
  const there = before + duplicates;
  return (
    <div aria-live="polite">
      <Text>{t.convertText(format.number(converted))}</Text>
      {there + rejected > 0 && (
        <Text size="sm" c="dimmed">
          {t.convertLeft(format.number(there), format.number(rejected))}
        </Text>
      )}
      {remaining > 0 && (
        <Text size="sm" c="dimmed">
          {t.convertMore(format.number(remaining))}
        </Text>
      )}
    </div>
  );
}
