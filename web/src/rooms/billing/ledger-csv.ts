import type { LedgerRow } from './billing-queries.ts';

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
export function ledgerCsv(rows: readonly LedgerRow[]): string {
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
