import type { Span } from './span.ts';

export const ledgerTypes = ['inference', 'training', 'index', 'grant', 'purchase', 'refund', 'adjustment'] as const;
export type LedgerType = (typeof ledgerTypes)[number];

/** Rows of an account's ledger; null does not restrict. */
export type UsageFilter = Span & {
  accountId: string;
  keyId: string | null;
  projectId: string | null;
  /** The name that was called. */
  model: string | null;
  types: readonly LedgerType[] | null;
};

/** What rows are told apart by, besides their type. */
export type Dimension = 'key' | 'project' | 'model';

/** Values of a statement that is put together from parts: `bind` gives the placeholder. */
export type Bindings = { values: unknown[]; bind: (value: unknown) => string };

export function createBindings(): Bindings {
  const values: unknown[] = [];
  return { values, bind: (value) => `$${values.push(value)}` };
}

const columns = {
  sums: { key: 'key_id', project: 'project_id', model: 'model' },
  ledger: { key: 'key_id', project: 'project_id', model: 'coalesce(model_requested, model_served)' },
} as const;

/** The dimensions that a filter restricts, with their values. */
export function dimensionsOf({ keyId, projectId, model }: UsageFilter): { dimension: Dimension; value: string }[] {
  const all = [
    { dimension: 'key', value: keyId },
    { dimension: 'project', value: projectId },
    { dimension: 'model', value: model },
  ] as const;
  return all.flatMap(({ dimension, value }) => (value === null ? [] : [{ dimension, value }]));
}

/** Conditions of a filter on rows of `usage_sums`, to follow others. The partial indexes want to see that no value is ''. */
export function onSums(filter: UsageFilter, { bind }: Bindings): string {
  const dimensions = dimensionsOf(filter).map(({ dimension, value }) => {
    const column = columns.sums[dimension];
    return ` and ${column} = ${bind(value)} and ${column} <> ''`;
  });
  return dimensions.join('') + ofTypes(filter, bind);
}

/** The same on rows of `ledger`; the span of time too. */
export function onLedger(filter: UsageFilter, { bind }: Bindings): string {
  const { since, until } = filter;
  const dimensions = dimensionsOf(filter).map(
    ({ dimension, value }) => ` and ${columns.ledger[dimension]} = ${bind(value)}`,
  );
  return [
    ...dimensions,
    ofTypes(filter, bind),
    since ? ` and created_at >= ${bind(since)}` : '',
    until ? ` and created_at < ${bind(until)}` : '',
  ].join('');
}

function ofTypes({ types }: UsageFilter, bind: Bindings['bind']): string {
  if (types === null) return '';
  // Literal, so that the index of the rows that are no calls can be used.
  const noCalls = types.includes('inference') ? '' : ` and type <> 'inference'`;
  return ` and type = any(${bind(types)}::text[])${noCalls}`;
}

/** The node of `usage_sums` that tells these dimensions apart. */
export function nodeOf(dimensions: ReadonlySet<Dimension>): number {
  const [only] = dimensions;
  if (only === undefined) return 0;
  return dimensions.size === 1 ? { model: 1, key: 2, project: 3 }[only] : 4;
}
