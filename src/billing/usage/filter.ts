import { createHash } from 'node:crypto';
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

/** Values of a statement that is put together from parts: `bind` gives the placeholder. */
export type Bindings = { values: unknown[]; bind: (value: unknown) => string };

export function createBindings(): Bindings {
  const values: unknown[] = [];
  return { values, bind: (value) => `$${values.push(value)}` };
}

/** Name of a prepared statement. There are as many texts as combinations of filters: some dozens. */
export function nameOf(text: string): string {
  return `usage.${createHash('sha256').update(text).digest('base64url').slice(0, 16)}`;
}

/** Whether it asks for certain keys, projects or models, for which there are lists. */
export function hasList({ keyId, projectId, model }: UsageFilter): boolean {
  return keyId !== null || projectId !== null || model !== null;
}

/** Calls are many and summed up, all other rows are few and read as they are. */
export function wantsCalls({ types }: UsageFilter): boolean {
  return types === null || types.includes('inference');
}

export function wantsOthers({ types }: UsageFilter): boolean {
  return types === null || types.some((type) => type !== 'inference');
}

/** Conditions of a filter on rows of the ledger, to follow others. */
export function onLedger({ keyId, projectId, model, since, until }: UsageFilter, { bind }: Bindings): string {
  return [
    keyId === null ? '' : ` and key_id = ${bind(keyId)}`,
    projectId === null ? '' : ` and project_id = ${bind(projectId)}`,
    model === null ? '' : ` and coalesce(model_requested, model_served) = ${bind(model)}`,
    since === null ? '' : ` and created_at >= ${bind(since)}`,
    until === null ? '' : ` and created_at < ${bind(until)}`,
  ].join('');
}

/** The types of a filter. Literal where they leave calls out, so that the index of the other rows is used. */
export function ofTypes(filter: UsageFilter, { bind }: Bindings): string {
  const { types } = filter;
  return types === null ? '' : ` and type = any(${bind(types)}::text[])${wantsCalls(filter) ? '' : ` and ${isNoCall}`}`;
}

export const isCall = `type = 'inference'`;
export const isNoCall = `type <> 'inference'`;
