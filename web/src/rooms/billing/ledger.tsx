import { Button, NativeSelect } from '@mantine/core';
import { useInfiniteQuery, useSuspenseInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useTexts } from '../../i18n/catalogue.ts';
import { Empty } from '../../ui/empty.tsx';
import { IconCreditCard, IconX } from '../../ui/icons.tsx';
import { LoadMore } from '../../ui/load-more.tsx';
import { Panel } from '../../ui/panel.tsx';
import { Part } from '../../ui/part.tsx';
import { Rows } from '../../ui/rows.tsx';
import { RowsSkeleton } from '../../ui/rows-skeleton.tsx';
import { keysQuery } from '../keys/keys-queries.ts';
import styles from './billing.module.css';
import { ledgerQuery } from './billing-queries.ts';
import { type BillingSearch, ledgerTypes } from './billing-search.ts';
import { billingTexts } from './billing-texts.ts';
import { ExportLedger } from './export-ledger.tsx';
import { useLedgerColumns } from './ledger-columns.tsx';

const route = getRouteApi('/signed-in/credits');

/** Every change of the balance that fits the filters. */
export function Ledger({ search, shown }: { search: BillingSearch; shown: BillingSearch }) {
  const t = useTexts(billingTexts);
  return (
    <Panel title={t.ledger} text={t.ledgerText} aside={<ExportLedger search={search} />} flush>
      <Filters search={search} />
      <Part skeleton={<RowsSkeleton columns={5} />}>
        <LedgerRows search={shown} />
      </Part>
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
    <div className={styles.filters}>
      <NativeSelect
        size="xs"
        aria-label={t.type}
        value={search.type ?? ''}
        data={[{ value: '', label: t.allTypes }, ...ledgerTypes.map((value) => ({ value, label: t.types[value] }))]}
        onChange={({ currentTarget: { value } }) => change({ type: ledgerTypes.find((each) => each === value) })}
      />
      {chips.map(
        (name) =>
          search[name] !== undefined && (
            <Button
              key={name}
              size="xs"
              variant="light"
              rightSection={<IconX size={14} />}
              title={t.clear(t.filters[name])}
              onClick={() => change({ [name]: undefined })}
            >
              {t.filters[name]}: {name === 'key_id' ? (keyName ?? search[name]) : search[name]}
            </Button>
          ),
      )}
    </div>
  );
}

/** What the owner calls a key. */
function useKeyName(id: string | undefined): string | undefined {
  const { data } = useInfiniteQuery({ ...keysQuery, enabled: id !== undefined });
  return data?.pages.flatMap((page) => page.data).find((key) => key.id === id)?.name;
}

function LedgerRows({ search }: { search: BillingSearch }) {
  const t = useTexts(billingTexts);
  const list = useSuspenseInfiniteQuery(ledgerQuery(search));
  const rows = list.data.pages.flatMap(({ data }) => data);
  const columns = useLedgerColumns();
  if (rows.length === 0)
    return (
      <Empty icon={IconCreditCard} title={t.ledgerEmptyTitle}>
        {t.ledgerEmpty}
      </Empty>
    );
  return (
    <>
      <Rows label={t.ledger} columns={columns} rows={rows} idOf={({ id }) => id} />
      <LoadMore list={list} shown={rows.length} />
    </>
  );
}
