import { Button } from '@mantine/core';
import { useRef, useState } from 'react';
import { call } from '../../api/call.ts';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { useLanguage } from '../../i18n/language.tsx';
import { IconDownload, IconX } from '../../ui/icons.tsx';
import { notify, notifyProblem } from '../../ui/notify.tsx';
import { saveFile } from '../../ui/save-file.ts';
import { type LedgerRow, ledgerFilter } from './billing-queries.ts';
import type { BillingSearch } from './billing-search.ts';
import { billingTexts } from './billing-texts.ts';
import { ledgerCsv } from './ledger-csv.ts';

/** Saves all rows that match the filters; it can be canceled. */
export function ExportLedger({ search }: { search: BillingSearch }) {
  const t = useTexts(billingTexts);
  const format = useFormat();
  const { language } = useLanguage();
  const stop = useRef<AbortController>(null);
  const [progress, setProgress] = useState<{ done: number; total: number } | null>(null);
  const run = async () => {
    const controller = new AbortController();
    stop.current = controller;
    const { signal } = controller;
    setProgress({ done: 0, total: 0 });
    try {
      const rows = await readAll(search, signal, setProgress);
      saveFile(`fanfold-usage-${new Date().toISOString().slice(0, 10)}.csv`, 'text/csv', ledgerCsv(rows));
      notify({ tone: 'good', text: t.exported(format.number(rows.length)) });
    } catch (error) {
      if (!signal.aborted) notifyProblem(error, language);
    }
    setProgress(null);
  };
  if (progress)
    return (
      <Button
        variant="default"
        size="xs"
        leftSection={<IconX size={14} />}
        aria-label={`${t.stop} ${t.exporting(format.number(progress.done), format.number(progress.total))}`}
        onClick={() => stop.current?.abort()}
      >
        {t.stop} {t.exporting(format.number(progress.done), format.number(progress.total))}
      </Button>
    );
  return (
    <Button variant="default" size="xs" leftSection={<IconDownload size={14} />} onClick={run}>
      {t.export}
    </Button>
  );
}

async function readAll(
  search: BillingSearch,
  signal: AbortSignal,
  report: (progress: { done: number; total: number }) => void,
): Promise<LedgerRow[]> {
  const rows: LedgerRow[] = [];
  const filter = ledgerFilter(search);
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: { data: LedgerRow[]; next_cursor: string | null; total_count: number } = await call(
      'GET /api/v1/credits/usage',
      { query: { ...filter, limit: 100, cursor }, signal },
    );
    rows.push(...page.data);
    report({ done: rows.length, total: page.total_count });
    cursor = page.next_cursor;
  }
  return rows;
}
