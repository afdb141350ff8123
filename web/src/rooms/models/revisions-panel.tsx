import { Badge, Button, Text } from '@mantine/core';
import { useState } from 'react';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { AsyncBoundary } from '../../ui/async-boundary.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { LoadMore } from '../../ui/load-more.tsx';
import { notify } from '../../ui/notify.tsx';
import { Panel } from '../../ui/panel.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { TableSkeleton } from '../../ui/table-skeleton.tsx';
import { useList } from '../../ui/use-list.ts';
import type { AccessProps } from './access-panel.tsx';
import styles from './models.module.css';
import { useRollBack } from './models-changes.ts';
import { type HostedModel, type ModelPath, type Revision, revisionsQuery, type TargetName } from './models-queries.ts';
import { modelsTexts } from './models-texts.ts';
import { useTargetName } from './use-target-name.ts';

/** Former targets of an alias; each can be restored. */
export function RevisionsPanel({ path, model, isOpen }: AccessProps) {
  const t = useTexts(modelsTexts);
  return (
    <Panel title={t.revisions} text={t.revisionsText} flush>
      <AsyncBoundary skeleton={<TableSkeleton columns={4} rows={2} />}>
        <RevisionList path={path} kind={model.kind} canRollBack={isOpen && model.state !== 'warming'} />
      </AsyncBoundary>
    </Panel>
  );
}

type RevisionListProps = { path: ModelPath; kind: HostedModel['kind']; canRollBack: boolean };

function RevisionList({ path, kind, canRollBack }: RevisionListProps) {
  const t = useTexts(modelsTexts);
  const { list, rows: revisions } = useList(revisionsQuery(path));
  const targetName = useTargetName(
    kind,
    revisions.map(({ target }) => target),
  );
  const columns = useColumns({ path, canRollBack, targetName });
  return (
    <>
      <DataTable label={t.revisions} columns={columns} rows={revisions} idOf={({ revision }) => String(revision)} />
      <LoadMore list={list} shown={revisions.length} />
    </>
  );
}

type ColumnOptions = { path: ModelPath; canRollBack: boolean; targetName: (target: TargetName) => string };

function useColumns({ path, canRollBack, targetName }: ColumnOptions): Column<Revision>[] {
  const t = useTexts(modelsTexts);
  const format = useFormat();
  return [
    {
      key: 'revision',
      label: t.revision,
      isName: true,
      render: ({ revision, restored_from }) => (
        <>
          {t.revision} {format.number(revision)}
          {restored_from !== null && (
            <span className={styles.quiet}>{t.restoredFrom(format.number(restored_from))}</span>
          )}
        </>
      ),
    },
    { key: 'target', label: t.target, render: ({ target }) => targetName(target) },
    {
      key: 'rate',
      label: t.rate,
      align: 'end',
      render: ({ rate }) => t.perMinute(format.credits(rate.credits_per_gpu_minute)),
    },
    { key: 'by', label: t.by, render: ({ created_by }) => created_by?.label ?? t.operator },
    { key: 'when', label: t.when, align: 'end', render: ({ created_at }) => <RelativeTime at={created_at} /> },
    {
      key: 'actions',
      label: t.actions,
      isLabelHidden: true,
      align: 'end',
      render: (revision) =>
        revision.current ? (
          <Badge color="pine">{t.current}</Badge>
        ) : (
          canRollBack && <RollBack path={path} revision={revision} target={targetName(revision.target)} />
        ),
    },
  ];
}

type RollBackProps = { path: ModelPath; revision: Revision; target: string };

function RollBack({ path, revision: { revision }, target }: RollBackProps) {
  const t = useTexts(modelsTexts);
  const [isConfirming, setConfirming] = useState(false);
  const rollBack = useRollBack(path);
  const number = String(revision);
  const run = () =>
    rollBack.mutate(revision, {
      onSuccess: () => {
        setConfirming(false);
        notify({ tone: 'good', text: t.rolledBack(number) });
      },
    });
  return (
    <>
      <Button
        size="compact-sm"
        variant="default"
        aria-label={t.rollBackNamed(number)}
        onClick={() => setConfirming(true)}
      >
        {t.rollBack}
      </Button>
      <Confirm
        isOpen={isConfirming}
        onClose={() => setConfirming(false)}
        title={t.rollBackTitle(number)}
        action={t.rollBack}
        tone="plain"
        isBusy={rollBack.isPending}
        error={rollBack.error}
        onConfirm={run}
      >
        <Text>{t.rollBackText(target)}</Text>
      </Confirm>
    </>
  );
}
