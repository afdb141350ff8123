import { Badge } from '@mantine/core';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { ledgerTypeTexts } from '../../i18n/ledger-type-texts.ts';
import type { Column } from '../../ui/data-table.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { TextLink } from '../../ui/text-link.tsx';
import styles from './billing.module.css';
import type { LedgerRow } from './billing-queries.ts';
import { billingTexts } from './billing-texts.ts';

export function useLedgerColumns(): Column<LedgerRow>[] {
  const t = useTexts(billingTexts);
  const typeNames = useTexts(ledgerTypeTexts);
  const format = useFormat();
  return [
    { key: 'what', label: t.what, isName: true, render: (row) => <What row={row} /> },
    { key: 'type', label: t.type, render: ({ type }) => <Badge color={typeColor(type)}>{typeNames[type]}</Badge> },
    { key: 'key', label: t.key, isSpare: true, render: ({ key }) => <KeyName name={key?.name} /> },
    { key: 'when', label: t.when, render: ({ created_at }) => <RelativeTime at={created_at} /> },
    {
      key: 'active',
      label: t.activeTime,
      isSpare: true,
      align: 'end',
      render: ({ active_ms }) => (active_ms === null ? '–' : format.duration(active_ms)),
    },
    {
      key: 'credits',
      label: t.credits,
      align: 'end',
      render: ({ credits }) => (
        <span data-gain={Number(credits) > 0 || undefined} className={styles.amount}>
          {Number(credits) > 0 ? '+' : ''}
          {format.exactCredits(credits)}
        </span>
      ),
    },
    {
      key: 'balance',
      label: t.balance,
      align: 'end',
      render: ({ balance_after }) => format.exactCredits(balance_after),
    },
  ];
}

/** On one line; the tooltip has the full text. */
function KeyName({ name }: { name: string | undefined }) {
  return name === undefined ? (
    '–'
  ) : (
    <span className={styles.keyName} title={name}>
      {name}
    </span>
  );
}

function typeColor(type: LedgerRow['type']): string {
  if (type === 'inference') return 'gray';
  return type === 'training' || type === 'index' ? 'ink' : 'pine';
}

function What({ row }: { row: LedgerRow }) {
  const t = useTexts(billingTexts);
  const typeNames = useTexts(ledgerTypeTexts);
  const { project, model_requested, training_job_id, attempt, note, outcome, type, request_id } = row;
  const main = model_requested ?? training_job_id ?? note ?? typeNames[type];
  const details = [
    project && `${project.owner}/${project.slug}`,
    attempt !== null && t.attempt(String(attempt)),
    outcome !== null && outcome !== 'succeeded' && t.outcomes[outcome],
    main !== note && note,
  ].filter(Boolean);
  return (
    <>
      {main}
      {details.length > 0 && <span className={styles.quiet}>{details.join(' · ')}</span>}
      {request_id !== null && type === 'inference' && (
        <span className={styles.quiet}>
          <TextLink to="/requests" search={{ id: request_id }}>
            {t.request}
          </TextLink>
        </span>
      )}
    </>
  );
}
