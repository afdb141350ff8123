import type { Sql } from '#db';
import type { Micro } from '#kernel';
import {
  type Bindings,
  createBindings,
  hasList,
  isNoCall,
  type LedgerType,
  nameOf,
  ofTypes,
  onLedger,
  type UsageFilter,
  wantsCalls,
  wantsOthers,
} from './filter.ts';

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
 * as it gives, wherever the place is: rows behind the mark as they are, calls before it from the filter's list, other
 * rows from their own index. Where in the ledger a span of time can be, `usage_bounds` says.
 */
export function listLedgerRows(
  sql: Sql,
  filter: UsageFilter,
  { before, limit }: { before: bigint; limit: number },
): Promise<LedgerRow[]> {
  const bindings = createBindings();
  const account = bindings.bind(filter.accountId);
  const span = [filter.since, filter.until].map((time) => `${bindings.bind(time)}::timestamptz`).join(', ');
  const place = { account, before: bindings.bind(before), limit: bindings.bind(limit), bindings };
  const parts = [rowsBehindMark(filter, place), ...summedRows(filter, place)];
  const text = `
    with bounds as materialized (
      select mark, out_until as above, least(out_from, ${place.before}::bigint) as below
        from usage_bounds(${account}, ${span})
    ), page as (
      ${parts.join(' union all ')} order by seq desc limit ${place.limit}
    )
    select ${columns}
      from page
     cross join lateral (select * from ledger where account_id = ${account} and seq = page.seq limit 1) row
      left join lateral (select * from project_addresses where id = row.project_id limit 1) project on true
      left join lateral (select * from accounts where id = project.account_id limit 1) owner on true
     order by row.seq desc`;
  return sql.query<LedgerRow>(text, bindings.values, { name: nameOf(text) });
}

type Place = { account: string; before: string; limit: string; bindings: Bindings };

function rowsBehindMark(filter: UsageFilter, { account, before, limit, bindings }: Place): string {
  return `(select seq from ledger
        where account_id = ${account} and seq > (select mark from bounds) and seq < ${before}
          ${ofTypes(filter, bindings)}${onLedger(filter, bindings)}
        order by seq desc limit ${limit})`;
}

/** Rows up to the mark, in one or two parts. */
function summedRows(filter: UsageFilter, place: Place): string[] {
  // All rows, or all calls, lie close together in the ledger itself.
  if (!hasList(filter) && wantsCalls(filter)) return [rowsOfLedger(filter, place, '')];
  return [
    ...(wantsCalls(filter) ? [rowsOfList(filter, place)] : []),
    ...(wantsOthers(filter) ? [rowsOfLedger(filter, place, ` and ${isNoCall}`)] : []),
  ];
}

function rowsOfLedger(filter: UsageFilter, { account, limit, bindings }: Place, kind: string): string {
  return `(select seq from ledger
        where account_id = ${account} and seq > (select above from bounds) and seq < (select below from bounds)
          and seq <= (select mark from bounds)${kind}${ofTypes(filter, bindings)}${onLedger(filter, bindings)}
        order by seq desc limit ${limit})`;
}

function rowsOfList(filter: UsageFilter, { account, limit, bindings }: Place): string {
  const { keyId, projectId, model, since, until } = filter;
  const dimensions = [keyId, projectId, model].map((value) => `${bindings.bind(value)}::text`).join(', ');
  // What is in the list is under the filter; only its time must be looked at.
  const inSpan =
    since === null && until === null
      ? ''
      : `cross join lateral (
                select from ledger where account_id = ${account} and ledger.seq = entry.seq
                  ${onLedger({ ...filter, keyId: null, projectId: null, model: null }, bindings)} limit 1) in_span`;
  return `(with filtered as materialized (select usage_list(${account}, ${dimensions}) as list), starting as (
          select coalesce((select first_seq from usage_lists
                            where list = (select list from filtered) and first_seq <= (select above from bounds)
                            order by first_seq desc limit 1), 0) as first_seq)
        select entry.seq
          from (select first_seq, seqs from usage_lists
                 where list = (select list from filtered) and first_seq >= (select first_seq from starting)
                   and first_seq < (select below from bounds)
                 order by first_seq desc) chunk
         cross join lateral unnest(chunk.seqs) as entry (seq)
         ${inSpan}
         where entry.seq > (select above from bounds) and entry.seq < (select below from bounds)
         order by chunk.first_seq desc, entry.seq desc limit ${limit})`;
}
