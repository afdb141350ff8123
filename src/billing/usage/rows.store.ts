import type { Sql } from '#db';
import type { Micro } from '#kernel';
import { type Bindings, createBindings, dimensionsOf, type LedgerType, onLedger, type UsageFilter } from './filter.ts';

/** A row of the ledger, with what a reader wants to know about what it refers to. */
export type LedgerRow = {
  seq: bigint;
  id: string;
  type: LedgerType;
  micro: Micro;
  balanceAfterMicro: Micro;
  projectId: string | null;
  projectOwner: string | null;
  projectSlug: string | null;
  modelRequested: string | null;
  modelServed: string | null;
  modelRevision: number | null;
  requestId: string | null;
  trainingJobId: string | null;
  attempt: number | null;
  keyId: string | null;
  keyName: string | null;
  activeMs: number | null;
  units: bigint | null;
  rateMicroPerMinute: Micro | null;
  priceVersion: string | null;
  promptTokens: number | null;
  completionTokens: number | null;
  outcome: 'succeeded' | 'client_disconnected' | 'canceled' | null;
  note: string | null;
  createdAt: Date;
};

const columns = `row.seq, row.id, row.type, row.micro, row.balance_after_micro as "balanceAfterMicro",
  row.project_id as "projectId", owner.slug as "projectOwner", project.slug as "projectSlug",
  row.model_requested as "modelRequested", row.model_served as "modelServed", row.model_revision as "modelRevision",
  row.request_id as "requestId", row.training_job_id as "trainingJobId", row.attempt, row.key_id as "keyId",
  row.key_name as "keyName", row.active_ms as "activeMs", row.units, row.rate_micro_per_minute as "rateMicroPerMinute",
  row.price_version as "priceVersion", row.prompt_tokens as "promptTokens",
  row.completion_tokens as "completionTokens", row.outcome, row.note, row.created_at as "createdAt"`;

/** Above every row. */
export const endOfLedger = 2n ** 63n - 1n;

/**
 * The last rows of an account before a place in its ledger, under a filter, latest first. It reads about as many rows
 * as it gives, wherever the place is: rows behind the mark as they are, those before it by `usage_places`. Spans of
 * time are bounded by the hours of `usage_sums`.
 */
export function listLedgerRows(
  sql: Sql,
  filter: UsageFilter,
  { before, limit }: { before: bigint; limit: number },
): Promise<LedgerRow[]> {
  const bindings = createBindings();
  const account = bindings.bind(filter.accountId);
  const cursor = bindings.bind(before);
  const most = bindings.bind(limit);
  const text = `
    with mark as (
      select coalesce(max(seq), 0) as seq, coalesce(max(disorder), '0') as disorder
        from usage_marks where account_id = ${account}
    ), bound as (
      select ${lowerBound(filter, account, bindings)} as above, ${upperBound(filter, { account, cursor }, bindings)} as below
        from mark
    ), page as (
      (select seq from ledger
        where account_id = ${account} and seq > (select seq from mark) and seq < ${cursor}${onLedger(filter, bindings)}
        order by seq desc limit ${most})
      union all
      (${summedRows(filter, account, bindings)} limit ${most})
      order by seq desc limit ${most}
    )
    select ${columns}
      from page join ledger row on row.account_id = ${account} and row.seq = page.seq
      left join projects project on project.id = row.project_id
      left join accounts owner on owner.id = project.account_id
     order by row.seq desc`;
  return sql.query<LedgerRow>(text, bindings.values);
}

/** Rows up to the mark, latest first. */
function summedRows(filter: UsageFilter, account: string, bindings: Bindings): string {
  const dimensions = dimensionsOf(filter);
  if (dimensions.length === 0 || filter.types?.includes('inference') === false)
    return `select seq from ledger
        where account_id = ${account} and seq > (select above from bound) and seq < (select below from bound)
          and seq <= (select seq from mark)${onLedger(filter, bindings)}
        order by seq desc`;
  // Of several dimensions the one with the fewest rows leads; the others are looked at on its rows.
  const { bind } = bindings;
  const placeOf = `account_id = ${account} and dimension = (select dimension from rarest) and value = (select value from rarest)`;
  return `with rarest as (
        select asked.dimension, asked.value
          from unnest(${bind(dimensions.map(({ dimension }) => dimension))}::text[],
                      ${bind(dimensions.map(({ value }) => value))}::text[]) as asked (dimension, value)
          left join lateral (
                 select preceding + cardinality(seqs) as rows from usage_places place
                  where place.account_id = ${account} and place.dimension = asked.dimension and place.value = asked.value
                  order by first_seq desc limit 1) known on true
         order by coalesce(rows, 0) limit 1
      ), starting as (
        select coalesce((select first_seq from usage_places where ${placeOf} and first_seq <= (select above from bound)
                          order by first_seq desc limit 1), 0) as first_seq
      )
      select ledger.seq
        from (select first_seq, seqs from usage_places
               where ${placeOf} and first_seq >= (select first_seq from starting)
                 and first_seq < (select below from bound) order by first_seq desc) chunk
       cross join lateral unnest(chunk.seqs) as entry (seq)
        join ledger on account_id = ${account} and ledger.seq = entry.seq
       where entry.seq > (select above from bound) and entry.seq < (select below from bound)${onLedger(filter, bindings)}
       order by chunk.first_seq desc, ledger.seq desc`;
}

/*
 * No row lies further behind an earlier one, in time, than the mark's `disorder`. So once a row is that much later than
 * the span, all that follow it are behind the span; and before one that is that much earlier, all are before it.
 */
function upperBound(
  { until }: UsageFilter,
  { account, cursor }: { account: string; cursor: string },
  { bind }: Bindings,
): string {
  if (until === null) return `${cursor}::bigint`;
  return `least(${cursor}::bigint, (
        select first_seq from usage_sums where account_id = ${account} and node = 0 and grain = 'hour'
           and bucket >= ${bind(until)}::timestamptz + disorder order by bucket limit 1))`;
}

function lowerBound({ since }: UsageFilter, account: string, { bind }: Bindings): string {
  if (since === null) return '0::bigint';
  return `coalesce((
        select last_seq from usage_sums where account_id = ${account} and node = 0 and grain = 'hour'
           and bucket <= ${bind(since)}::timestamptz - disorder - interval '1 hour' order by bucket desc limit 1), 0)`;
}
