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

const columns: readonly [name: string, read: (row: LedgerRow) => string | number | null][] = [
  ['created_at', (row) => row.created_at],
  ['type', (row) => row.type],
  ['credits', (row) => row.credits],
  ['balance_after', (row) => row.balance_after],
  ['project', ({ project }) => project && `${project.owner}/${project.slug}`],
  ['model_requested', (row) => row.model_requested],
  ['model_served', (row) => row.model_served],
  ['model_revision', (row) => row.model_revision],
  ['key', ({ key }) => key?.name ?? null],
  ['key_id', ({ key }) => key?.id ?? null],
  ['active_ms', (row) => row.active_ms],
  ['units', (row) => row.units],
  ['rate', (row) => row.rate],
  ['price_version', (row) => row.price_version],
  ['prompt_tokens', (row) => row.prompt_tokens],
  ['completion_tokens', (row) => row.completion_tokens],
  ['outcome', (row) => row.outcome],
  ['training_job_id', (row) => row.training_job_id],
  ['attempt', (row) => row.attempt],
  ['request_id', (row) => row.request_id],
  ['note', (row) => row.note],
  ['id', (row) => row.id],
];

/** The byte order mark tells spreadsheets that it is UTF-8. */
const byteOrderMark = '\uFEFF';

/** The ledger as CSV (RFC 4180). */
function ledgerCsv(rows: readonly LedgerRow[]): string {
  const lines = [columns.map(([name]) => name), ...rows.map((row) => columns.map(([, read]) => cell(read(row))))];
  return byteOrderMark + lines.map((line) => `${line.join(',')}\r\n`).join('');
}

function cell(value: string | number | null): string {
  if (value === null) return '';
  const text = safe(String(value));
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Spreadsheets would run such a text as a formula. Negative numbers are none. */
function safe(text: string): string {
  return /^[=+\-@\t\r]/.test(text) && !/^-?\d+(\.\d+)?$/.test(text) ? `'${text}` : text;
}
