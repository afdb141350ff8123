import { billingUnits, newId } from '#kernel';
import type { Charge } from './charge.ts';

/** What the ledger keeps of each charge, as both statements of settlement take it: a list for each column. */
const columns: readonly { name: string; type: string; of: (charge: Charge) => unknown }[] = [
  { name: 'request_id', type: 'text', of: ({ requestId }) => requestId },
  { name: 'account_id', type: 'text', of: ({ accountId }) => accountId },
  { name: 'ledger_id', type: 'text', of: () => newId('led') },
  { name: 'key_id', type: 'text', of: ({ keyId }) => keyId },
  { name: 'key_name', type: 'text', of: ({ keyName }) => keyName ?? null },
  { name: 'project_id', type: 'text', of: ({ projectId }) => projectId },
  { name: 'model_requested', type: 'text', of: ({ modelRequested }) => modelRequested },
  { name: 'model_served', type: 'text', of: ({ modelServed }) => modelServed },
  { name: 'model_revision', type: 'integer', of: ({ modelRevision }) => modelRevision },
  { name: 'active_ms', type: 'float8', of: ({ activeMs }) => activeMs },
  { name: 'units', type: 'bigint', of: ({ activeMs }) => billingUnits(activeMs) },
  { name: 'rate_micro_per_minute', type: 'bigint', of: ({ rateMicroPerMinute }) => rateMicroPerMinute },
  { name: 'price_version', type: 'text', of: ({ priceVersion }) => priceVersion },
  { name: 'held_micro', type: 'bigint', of: ({ heldMicro }) => heldMicro },
  { name: 'prompt_tokens', type: 'integer', of: ({ usage }) => usage.promptTokens },
  { name: 'completion_tokens', type: 'integer', of: ({ usage }) => usage.completionTokens },
  { name: 'outcome', type: 'text', of: ({ outcome }) => outcome },
  { name: 'operation', type: 'text', of: ({ operation }) => operation },
];

export const chargeNames = columns.map(({ name }) => name).join(', ');

/** The parameters of these lists; other parameters come before the first of them and after the last. */
export function chargeLists(first: number): string {
  return columns.map(({ type }, index) => `$${first + index}::${type}[]`).join(', ');
}

export function chargeValues(charges: readonly Charge[]): unknown[][] {
  return columns.map(({ of }) => charges.map(of));
}
