import { Badge, Button, Code } from '@mantine/core';
import { useState } from 'react';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
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
import styles from './keys.module.css';
import { type Key, keysQuery } from './keys-queries.ts';
import { keysTexts } from './keys-texts.ts';
import type { Limits } from './limits-form.ts';

export function KeysPage() {
  const t = useTexts(keysTexts);
  const [isCreating, setCreating] = useState(false);
  const create = (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setCreating(true)}>
      {t.create}
    </Button>
  );
  return (
    <Page title={t.title} lead={t.lead} guide="api-keys" actions={create}>
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

/** The limits of a key in one line, with the usage of the spending limit. */
function RowLimits({ limits }: { limits: Limits }) {
  const t = useTexts(keysTexts);
  const format = useFormat();
  const { requests_per_minute, concurrent_requests, credits_per_day, used } = limits;
  const parts = [
    requests_per_minute === null ? '' : t.rowPerMinute(format.number(requests_per_minute)),
    concurrent_requests === null ? '' : t.rowAtATime(format.number(concurrent_requests)),
    credits_per_day === null ? '' : t.rowPerDay(format.credits(used.credits_today), format.credits(credits_per_day)),
  ];
  // The last part, because it explains why calls are refused.
  const isUsedUp = credits_per_day !== null && Number(used.credits_today) >= Number(credits_per_day);
  return (
    <span className={styles.quiet}>
      {parts.filter((part) => part !== '').join(' · ')}
      {isUsedUp ? <span className={styles.usedUp}>{t.rowUsedUp}</span> : null}
    </span>
  );
}
