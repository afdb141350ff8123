import { textIn } from '../../routing/search-text.ts';
export const groupings = ['day', 'project', 'model', 'key', 'type'] as const;
export type Grouping = (typeof groupings)[number];

export const spans = [7, 30, 90, 365] as const;
export type Span = (typeof spans)[number];

export const ledgerTypes = ['inference', 'training', 'index', 'grant', 'purchase', 'refund', 'adjustment'] as const;
type LedgerType = (typeof ledgerTypes)[number];

/** The filters of the ledger, in the URL. */
export type BillingSearch = {
  days?: Span | undefined;
  by?: Grouping | undefined;
  type?: LedgerType | undefined;
  project?: string | undefined;
  model?: string | undefined;
  key_id?: string | undefined;
};

export function readBillingSearch(search: Record<string, unknown>): BillingSearch {
  const { days, by, type, project, model, key_id } = search;
  return {
    days: spans.find((each) => each === days),
    by: groupings.find((each) => each === by),
    type: ledgerTypes.find((each) => each === type),
    project: typeof project === 'string' && /^[a-z0-9-]+\/[a-z0-9-]+$/.test(project) ? project : undefined,
    model: textIn(model),
    key_id: textIn(key_id),
  };
}

const dayMs = 86_400_000;

/** Midnight (UTC) of the first day of a range that ends today: the server sums by such days. */
export function startOf(span: Span, nowMs: number): string {
  return new Date((Math.floor(nowMs / dayMs) - span + 1) * dayMs).toISOString();
}

export function daysFrom(from: string, to: string): string[] {
  const [first, last] = [Date.parse(from), Date.parse(to)].map((ms) => Math.floor(ms / dayMs)) as [number, number];
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) =>
    new Date((first + index) * dayMs).toISOString().slice(0, 10),
  );
}
