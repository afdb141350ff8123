import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useTexts } from '../../i18n/catalogue.ts';
import { ledgerTypeTexts } from '../../i18n/ledger-type-texts.ts';
import { AsyncBoundary } from '../../ui/async-boundary.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { SelectFilter, SetFilter } from '../../ui/filters.tsx';
import { IconCreditCard } from '../../ui/icons.tsx';
import { LoadMore } from '../../ui/load-more.tsx';
import { Panel } from '../../ui/panel.tsx';
import { TableSkeleton } from '../../ui/table-skeleton.tsx';
import { Toolbar } from '../../ui/toolbar.tsx';
import { useList } from '../../ui/use-list.ts';
import { keysQuery } from '../keys/index.ts';
import { ledgerQuery } from './billing-queries.ts';
import { type BillingSearch, ledgerTypes } from './billing-search.ts';
import { billingTexts } from './billing-texts.ts';
import { ExportLedger } from './export-ledger.tsx';
import { useLedgerColumns } from './ledger-columns.tsx';

const route = getRouteApi('/signed-in/credits');

export function Ledger({ search, shown }: { search: BillingSearch; shown: BillingSearch }) {
  const t = useTexts(billingTexts);
  return (
    <Panel title={t.ledger} text={t.ledgerText} aside={<ExportLedger search={search} />} flush>
      <Filters search={search} />
      <AsyncBoundary skeleton={<TableSkeleton columns={5} />}>
        <LedgerRows search={shown} />
      </AsyncBoundary>
    </Panel>
  );
}

const chips = ['project', 'model', 'key_id'] as const;

function Filters({ search }: { search: BillingSearch }) {
  const t = useTexts(billingTexts);
  const navigate = route.useNavigate();
  const keyName = useKeyName(search.key_id);
  const change = (next: BillingSearch) =>
    void navigate({ search: (now) => ({ ...now, ...next }), replace: true, resetScroll: false });
  return (
    <Toolbar isInPanel>
      <SelectFilter
        label={t.type}
        all={t.allTypes}
        values={ledgerTypes}
        names={useTexts(ledgerTypeTexts)}
        value={search.type}
        onChange={(type) => change({ type })}
      />
      {chips.map(
        (name) =>
          search[name] !== undefined && (
            <SetFilter key={name} name={t.filters[name]} onClear={() => change({ [name]: undefined })}>
              {t.filters[name]}: {name === 'key_id' ? (keyName ?? search[name]) : search[name]}
            </SetFilter>
          ),
      )}
    </Toolbar>
  );
}

function useKeyName(id: string | undefined): string | undefined {
  const { data } = useInfiniteQuery({ ...keysQuery, enabled: id !== undefined });
  return data?.pages.flatMap((page) => page.data).find((key) => key.id === id)?.name;
}

function LedgerRows({ search }: { search: BillingSearch }) {
  const t = useTexts(billingTexts);
  const { list, rows } = useList(ledgerQuery(search));
  const columns = useLedgerColumns();
  if (rows.length === 0)
    return (
      <EmptyState icon={IconCreditCard} title={t.ledgerEmptyTitle}>
        {t.ledgerEmpty}
      </EmptyState>
    );
  return (
    <>
      <DataTable label={t.ledger} columns={columns} rows={rows} idOf={({ id }) => id} />
      <LoadMore list={list} shown={rows.length} />
    </>
  );
}
