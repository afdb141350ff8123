import Type, { type Static } from 'typebox';
import { creditsText, nullable, pageQuery, projectAddress, timestamp } from '#http';
import { formatCredits } from '#kernel';
import { ledgerTypes } from './filter.ts';
import type { LedgerRow } from './rows.store.ts';
import type { UsageTotals } from './totals.store.ts';
import type { Spending, SpendingGroup } from './usage.ts';

const filters = {
  from: Type.Optional(
    Type.String({
      description: 'Only what was written at this time or later.',
      format: 'date-time',
    }),
  ),
  to: Type.Optional(
    Type.String({
      description: 'Only what was written before this time.',
      format: 'date-time',
    }),
  ),
  project: projectAddress('Only calls of this project, `{owner}/{project}`.'),
  model: Type.Optional(
    Type.String({
      description: 'Only calls of this `model`, as it was asked for.',
      minLength: 1,
      maxLength: 200,
    }),
  ),
  key_id: Type.Optional(
    Type.String({
      description: 'Only calls with this API key.',
      minLength: 1,
      maxLength: 64,
    }),
  ),
};

export const usageQuery = Type.Object({
  ...pageQuery,
  ...filters,
  type: Type.Optional(Type.Enum([...ledgerTypes], { description: 'Only rows of this type.' })),
});

const mostGroups = 1_000;

export const summaryQuery = Type.Object({
  from: Type.Optional(
    Type.String({
      description: 'Start of the summary; by default the 29th day (UTC) before its end.',
      format: 'date-time',
    }),
  ),
  to: Type.Optional(
    Type.String({
      description: 'End of the summary, now by default.',
      format: 'date-time',
    }),
  ),
  group_by: Type.Enum(['day', 'project', 'model', 'key', 'type'], {
    description: 'What to sum up by. Days are those of UTC.',
  }),
  limit: Type.Optional(
    Type.Integer({
      description: 'Most groups; days are always complete.',
      minimum: 1,
      maximum: mostGroups,
      default: 100,
    }),
  ),
});

export const totalsSchema = Type.Object(
  {
    credits: creditsText('Sum of `credits`.'),
    active_ms: Type.Integer({ description: 'Time that models worked, ms.', minimum: 0 }),
    requests: Type.Integer({ description: 'Calls among the rows.', minimum: 0 }),
  },
  { $id: 'UsageTotals' },
);

const orNull = (description: string) => nullable(Type.String(), description);

export const ledgerRowSchema = Type.Object(
  {
    id: Type.String({ description: 'Id of the row.' }),
    type: Type.Enum([...ledgerTypes], { description: 'What changed the balance.' }),
    credits: creditsText('Signed: what was spent is negative.'),
    balance_after: creditsText('Balance after this row.'),
    project: nullable(
      Type.Object({
        owner: Type.String({ description: "Slug of the project's owner." }),
        slug: Type.String({ description: 'Slug of the project.' }),
      }),
      'The project that was called.',
    ),
    model_requested: orNull('The `model` that was asked for.'),
    model_served: orNull('The base model that did the work.'),
    model_revision: nullable(Type.Integer(), 'Revision of the alias then.'),
    request_id: orNull('The call, for `GET /api/v1/requests/{id}`.'),
    training_job_id: orNull('The training job.'),
    attempt: nullable(Type.Integer(), 'Attempt of the training job.'),
    key: nullable(
      Type.Object({
        id: Type.String({ description: 'Id of the key.' }),
        name: Type.String({ description: 'Its name, also after it was deleted.' }),
      }),
      'The API key that was used.',
    ),
    active_ms: nullable(Type.Integer(), 'Time that the model worked, ms.'),
    units: nullable(Type.Integer(), 'Units of 100 ms, rounded up.'),
    rate: nullable(creditsText('Credits per GPU minute.'), 'The frozen rate.'),
    price_version: orNull('Version of the price list.'),
    prompt_tokens: nullable(Type.Integer(), 'Tokens of the prompt or the inputs.'),
    completion_tokens: nullable(Type.Integer(), 'Tokens of the answer.'),
    outcome: nullable(Type.Enum(['succeeded', 'client_disconnected', 'canceled']), 'How the work ended.'),
    note: orNull('What the operator wrote about it.'),
    created_at: timestamp('When it was written.'),
  },
  { $id: 'LedgerRow', description: 'A row of the ledger. It never changes.' },
);

const usageGroupSchema = Type.Object(
  {
    group: orNull(
      'The day, `{owner}/{project}`, model, key id or type; null: none of them. It fits the filter of the same name.',
    ),
    label: orNull('A name to show.'),
    requests: totalsSchema.properties.requests,
    active_ms: totalsSchema.properties.active_ms,
    credits: creditsText('What was spent.'),
  },
  { $id: 'UsageGroup' },
);

export const summarySchema = Type.Object({
  data: Type.Array(usageGroupSchema, {
    description: 'Days in order, or what cost most first. Days without usage are left out.',
  }),
  groups: Type.Integer({ description: 'Groups in all, shown or not.', minimum: 0 }),
  totals: Type.Object(
    { ...totalsSchema.properties, credits: creditsText('What was spent.') },
    { description: 'Sums over all groups.' },
  ),
  from: timestamp('Start of the summary.'),
  to: timestamp('End of the summary.'),
});

export function ledgerRowToWire(row: LedgerRow): Static<typeof ledgerRowSchema> {
  const { projectOwner, projectSlug, keyId } = row;
  return {
    id: row.id,
    type: row.type,
    credits: formatCredits(row.micro),
    balance_after: formatCredits(row.balanceAfterMicro),
    project: projectOwner === null || projectSlug === null ? null : { owner: projectOwner, slug: projectSlug },
    model_requested: row.modelRequested,
    model_served: row.modelServed,
    model_revision: row.modelRevision,
    request_id: row.requestId?.startsWith('req_') ? row.requestId : null,
    training_job_id: row.trainingJobId,
    attempt: row.attempt,
    key: keyId === null ? null : { id: keyId, name: row.keyName ?? keyId },
    active_ms: row.activeMs === null ? null : Math.round(row.activeMs),
    units: row.units === null ? null : Number(row.units),
    rate: row.rateMicroPerMinute === null ? null : formatCredits(row.rateMicroPerMinute),
    price_version: row.priceVersion,
    prompt_tokens: row.promptTokens,
    completion_tokens: row.completionTokens,
    outcome: row.outcome,
    note: row.note,
    created_at: row.createdAt.toISOString(),
  };
}

export function totalsToWire({ micro, activeUs, requests }: UsageTotals): Static<typeof totalsSchema> {
  return { credits: formatCredits(micro), active_ms: milliseconds(activeUs), requests };
}

export function summaryToWire(
  { data, groups, totals }: Spending,
  span: { since: Date; until: Date },
): Static<typeof summarySchema> {
  return {
    data: data.map(groupToWire),
    groups,
    totals: totalsToWire({ ...totals, micro: -totals.micro }),
    from: span.since.toISOString(),
    to: span.until.toISOString(),
  };
}

function groupToWire({ value, label, ...sums }: SpendingGroup): Static<typeof usageGroupSchema> {
  return { group: value, label, ...totalsToWire({ ...sums, micro: -sums.micro }) };
}

function milliseconds(us: bigint): number {
  return Number((us + 500n) / 1_000n);
}
