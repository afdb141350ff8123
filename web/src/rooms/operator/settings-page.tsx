import { Code, Text } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ResponseOf } from '../../api/call.ts';
import { useTexts } from '../../i18n/catalogue.ts';
import { AsyncBoundary } from '../../ui/async-boundary.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { Panel } from '../../ui/panel.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { TableSkeleton } from '../../ui/table-skeleton.tsx';
import { Tag } from '../../ui/tag.tsx';
import { settingsQuery } from './operator-queries.ts';
import { operatorTexts } from './operator-texts.ts';

type Setting = ResponseOf<'GET /api/v1/operator/settings'>['data'][number];

export function SettingsPage() {
  const t = useTexts(operatorTexts);
  const [search, setSearch] = useState<string>();
  return (
    <Panel
      title={t.tabs.settings}
      text={t.settingsText}
      flush
      aside={<SearchField label={t.searchSettings} value={search} onSearch={setSearch} />}
    >
      <AsyncBoundary skeleton={<TableSkeleton columns={3} />}>
        <Settings search={search} />
      </AsyncBoundary>
    </Panel>
  );
}

/** Those that somebody has set first. */
function Settings({ search = '' }: { search: string | undefined }) {
  const t = useTexts(operatorTexts);
  const { data } = useSuspenseQuery(settingsQuery);
  const found = data.data
    .filter(({ name }) => name.toLowerCase().includes(search.toLowerCase()))
    .toSorted((a, b) => Number(a.is_default) - Number(b.is_default));
  const columns: Column<Setting>[] = [
    { key: 'name', label: t.setting, isName: true, render: ({ name }) => <Code>{name}</Code> },
    {
      key: 'value',
      label: t.value,
      render: ({ value, is_default }) => (
        <>
          {value ?? t.none} {!is_default && <Tag color="pine">{t.changed}</Tag>}
        </>
      ),
    },
    {
      key: 'expected',
      label: t.expected,
      isSpare: true,
      render: ({ expected }) => (
        <Text size="xs" c="dimmed">
          {expected}
        </Text>
      ),
    },
  ];
  return <DataTable label={t.tabs.settings} columns={columns} rows={found} idOf={({ name }) => name} />;
}
