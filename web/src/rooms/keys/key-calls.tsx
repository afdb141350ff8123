import { Stack, Text } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import type { Schemas } from '../../api/generated/contract.ts';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { ledgerTypeTexts } from '../../i18n/ledger-type-texts.ts';
import { AsyncBoundary } from '../../ui/async-boundary.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { TableSkeleton } from '../../ui/table-skeleton.tsx';
import { TextLink } from '../../ui/text-link.tsx';
import type { KeyDialogProps } from './key-dialog.ts';
import { keyCallsQuery } from './keys-queries.ts';
import { keysTexts } from './keys-texts.ts';

type Charge = Schemas['LedgerRow'];

export function KeyCalls({ apiKey, isOpen, onClose }: KeyDialogProps) {
  const t = useTexts(keysTexts);
  return (
    <Dialog opened={isOpen} onClose={onClose} title={t.callsTitle(apiKey.name)} size="xl">
      <AsyncBoundary skeleton={<TableSkeleton columns={4} />}>
        <Calls keyId={apiKey.id} />
      </AsyncBoundary>
    </Dialog>
  );
}

function Calls({ keyId }: { keyId: string }) {
  const t = useTexts(keysTexts);
  const format = useFormat();
  const { data } = useSuspenseQuery(keyCallsQuery(keyId));
  const columns = useColumns();
  if (data.data.length === 0) return <Text c="dimmed">{t.callsEmpty}</Text>;
  const { requests, credits } = data.totals;
  return (
    <Stack gap="sm">
      <Text>{t.callsTotals(format.number(requests), format.credits(credits.replace('-', '')))}</Text>
      <TextLink to="/credits" search={{ key_id: keyId, days: 365 }}>
        {t.callsAll}
      </TextLink>
      <Text size="sm" c="dimmed">
        {t.callsLatest}
      </Text>
      <DataTable label={t.callsLatest} columns={columns} rows={data.data} idOf={({ id }) => id} />
    </Stack>
  );
}

function useColumns(): Column<Charge>[] {
  const t = useTexts(keysTexts);
  const typeNames = useTexts(ledgerTypeTexts);
  const format = useFormat();
  return [
    {
      key: 'model',
      label: t.model,
      isName: true,
      render: ({ project, model_requested }) => [project?.slug, model_requested].filter(Boolean).join(' / '),
    },
    { key: 'type', label: t.type, render: ({ type }) => typeNames[type] },
    { key: 'when', label: t.when, render: ({ created_at }) => <RelativeTime at={created_at} /> },
    {
      key: 'active',
      label: t.activeTime,
      align: 'end',
      render: ({ active_ms }) => format.duration(active_ms ?? 0),
    },
    {
      key: 'credits',
      label: t.credits,
      align: 'end',
      render: ({ credits }) => format.exactCredits(credits.replace('-', '')),
    },
  ];
}
