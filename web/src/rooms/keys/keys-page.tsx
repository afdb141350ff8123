import { Badge, Button, Code } from '@mantine/core';
import { useState } from 'react';
import { useTexts } from '../../i18n/catalogue.ts';
import { sharedTexts } from '../../i18n/shared-texts.ts';
import { AsyncBoundary } from '../../ui/async-boundary.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { IconKey, IconPlus } from '../../ui/icons.tsx';
import { LoadMore } from '../../ui/load-more.tsx';
import { Page } from '../../ui/page.tsx';
import { Panel } from '../../ui/panel.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { TableSkeleton } from '../../ui/table-skeleton.tsx';
import { useList } from '../../ui/use-list.ts';
import { CreateKey } from './create-key.tsx';
import { KeyMenu } from './key-menu.tsx';
import { type Key, keysQuery } from './keys-queries.ts';
import { keysTexts } from './keys-texts.ts';
import { RowLimits } from './row-limits.tsx';

export function KeysPage() {
  const t = useTexts(keysTexts);
  const [isCreating, setCreating] = useState(false);
  const create = (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setCreating(true)}>
      {t.create}
    </Button>
  );
  return (
    <Page title={t.title} lead={t.lead} actions={create}>
      <Panel flush>
        <AsyncBoundary skeleton={<TableSkeleton columns={5} />}>
          <KeyList create={create} />
        </AsyncBoundary>
      </Panel>
      <CreateKey isOpen={isCreating} onClose={() => setCreating(false)} />
    </Page>
  );
}

function KeyList({ create }: { create: React.ReactNode }) {
  const t = useTexts(keysTexts);
  const { list, rows: keys } = useList(keysQuery);
  const columns = useColumns();
  if (keys.length === 0)
    return (
      <EmptyState icon={IconKey} title={t.emptyTitle} action={create}>
        {t.empty}
      </EmptyState>
    );
  return (
    <>
      <DataTable label={t.title} columns={columns} rows={keys} idOf={({ id }) => id} isDim={({ active }) => !active} />
      <LoadMore list={list} shown={keys.length} />
    </>
  );
}

function useColumns(): Column<Key>[] {
  const t = useTexts(keysTexts);
  const { never } = useTexts(sharedTexts);
  return [
    {
      key: 'name',
      label: t.name,
      isName: true,
      render: ({ name, limits }) => (
        <>
          {name}
          {limits && <RowLimits limits={limits} />}
        </>
      ),
    },
    { key: 'key', label: t.key, render: ({ masked_key }) => <Code>{masked_key}</Code> },
    { key: 'state', label: t.state, render: ({ active }) => <State active={active} /> },
    {
      key: 'last_used',
      label: t.lastUsed,
      render: ({ last_used_at }) => (last_used_at ? <RelativeTime at={last_used_at} /> : never),
    },
    { key: 'created', label: t.created, render: ({ created_at }) => <RelativeTime at={created_at} /> },
    {
      key: 'actions',
      label: t.actions,
      isLabelHidden: true,
      align: 'end',
      render: (key) => <KeyMenu apiKey={key} />,
    },
  ];
}

function State({ active }: { active: boolean }) {
  const t = useTexts(keysTexts);
  return active ? <Badge color="pine">{t.active}</Badge> : <Badge color="gray">{t.inactive}</Badge>;
}
