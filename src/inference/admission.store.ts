import type { Sql } from '#db';
import type { CallLimits } from '#limits';
import type { AliasRow } from '#models';

/** What one call asks about: the project in its path, the model in its body. */
export type AdmissionScope = {
  ownerSlug: string;
  projectSlug: string;
  /** null where the route has no model, and while the body could not be read. */
  model: string | null;
};

/** What a call with a key presents: its digest, in hexadecimal. */
export type AdmissionRequest = AdmissionScope & { digest: string };

export type AdmissionFacts = {
  /** Who pays; null: nobody whom we know. */
  caller: {
    /** Null: somebody who is signed in, without a key. */
    keyId: string | null;
    keyName: string | null;
    accountId: string;
    accountStatus: string;
    /** Null: neither the key nor its account has limits. */
    limits: { key: CallLimits; account: CallLimits } | null;
  } | null;
  project: {
    id: string;
    ownerId: string;
    ownerSlug: string;
    kind: 'text' | 'embedding';
    visibility: 'private' | 'public';
    archived: boolean;
    /** Text calls of the project are kept for later use as examples. */
    autoSaves: boolean;
  } | null;
  alias: AliasRow | null;
  /** The caller's share of that alias, while it is valid; the owner needs none. */
  share: { id: string } | null;
  /** At least one model of the project, which is somebody else's, is shared with the caller. */
  isGuest: boolean;
};

type Row = {
  /** Of the request, from 1. */
  position: number;
  key_id: string | null;
  key_name: string | null;
  account_id: string;
  account_status: string | null;
  /** Three of the key, then three of the account, of its own and the operator's the lower one; null when all are. */
  limits: (string | null)[] | null;
  project_id: string | null;
  owner_id: string;
  kind: 'text' | 'embedding';
  visibility: 'private' | 'public';
  archived: boolean;
  inference_auto_save: boolean;
  alias_id: string;
  alias: AliasRow['alias'] | null;
  alias_state: AliasRow['state'];
  alias_visibility: AliasRow['visibility'];
  target_type: AliasRow['targetType'];
  target_id: string;
  base_model_id: string;
  revision: number;
  rate_micro_per_minute: bigint;
  price_version: string;
  /** Id of the caller's share of the alias; empty when he has shares of other models of the project only. */
  share: string | null;
};

/**
 * The one statement of the hot path that reads across rooms: everything that decides about a call, for all calls of
 * one tick of the event loop. Asked anew for every call, so that a dead key or a closed project is refused at once.
 * `lateral ... limit 1` keeps each lookup an index probe, whatever the tables' statistics say. Who asks is one of them, with
 * his account inside it: between the others, PostgreSQL would keep a cache of accounts for each statement. The owner of the
 * project is mostly he, and looked for only where he is not. Shares are, too, and in a sub-select: two more joins would cost
 * every call, these cost none.
 */
const statementFor = (caller: string) => `
  select request.position::int, c.key_id, c.key_name, c.account_id, c.status as account_status, c.limits,
         p.id as project_id, p.account_id as owner_id, p.kind, p.visibility, p.archived_at is not null as archived,
         p.inference_auto_save,
         h.id as alias_id, h.alias, h.state as alias_state, h.visibility as alias_visibility, h.target_type, h.target_id,
         h.base_model_id, h.revision, h.rate_micro_per_minute, h.price_version,
         case when p.account_id <> c.account_id then (
           select case when hosted_model_id = h.id then id else '' end from model_shares
            where account_id = c.account_id and project_id = p.id and (expires_at is null or expires_at > now())
            order by hosted_model_id is not distinct from h.id desc limit 1) end as share
    from unnest($1::text[], $2::text[], $3::text[], $4::text[]) with ordinality
           as request (credential, owner_slug, project_slug, model, position)
    left join lateral (
      select k.id as key_id, k.name as key_name, k.account_id, a.slug, a.status,
             case when num_nonnulls(k.requests_per_minute, k.concurrent_requests, k.credits_per_day_micro,
                                    a.requests_per_minute, a.concurrent_requests, a.credits_per_day_micro,
                                    a.operator_requests_per_minute, a.operator_concurrent_requests,
                                    a.operator_credits_per_day_micro) > 0
                  then array[k.requests_per_minute, k.concurrent_requests, k.credits_per_day_micro,
                             least(a.requests_per_minute, a.operator_requests_per_minute),
                             least(a.concurrent_requests, a.operator_concurrent_requests),
                             least(a.credits_per_day_micro, a.operator_credits_per_day_micro)]::bigint[] end as limits
        from (${caller}) k
        left join lateral (select * from accounts where id = k.account_id limit 1) a on true
       limit 1) c on true
    left join lateral (
      select * from projects
       where account_id = case when c.slug = request.owner_slug then c.account_id
                               else (select id from accounts where slug = request.owner_slug) end
         and slug = request.project_slug
       limit 1) p on true
    left join lateral (select * from hosted_models where project_id = p.id and alias = request.model limit 1) h on true`;

const byKey = statementFor(
  `select * from api_keys where digest = decode(request.credential, 'hex') and active limit 1`,
);

/** For somebody who is signed in: his account asks, and only its limits bind. */
const byAccount = statementFor(`select null::text as id, null::text as name, request.credential as account_id,
  null::integer as requests_per_minute, null::integer as concurrent_requests, null::bigint as credits_per_day_micro`);

/** Answers all requests in order, in one round trip. */
export async function findAdmissions(sql: Sql, requests: readonly AdmissionRequest[]): Promise<AdmissionFacts[]> {
  const rows = await sql.query<Row>(
    byKey,
    [
      requests.map(({ digest }) => digest),
      requests.map(({ ownerSlug }) => ownerSlug),
      requests.map(({ projectSlug }) => projectSlug),
      requests.map(({ model }) => model),
    ],
    { name: 'admission' },
  );
  // `left join`: each request has its row.
  return rows
    .toSorted((a, b) => a.position - b.position)
    .map((row, index) => toAnswer(row, requests[index]?.ownerSlug ?? ''));
}

/** The same for an account that has proved itself otherwise than with a key. */
export async function findAccountAdmission(
  sql: Sql,
  accountId: string,
  { ownerSlug, projectSlug, model }: AdmissionScope,
): Promise<AdmissionFacts | null> {
  const values = [[accountId], [ownerSlug], [projectSlug], [model]];
  const [row] = await sql.query<Row>(byAccount, values, { name: 'admission_of_account' });
  return row ? toAnswer(row, ownerSlug) : null;
}

function toAnswer(row: Row, ownerSlug: string): AdmissionFacts {
  return {
    caller:
      row.account_status === null
        ? null
        : {
            keyId: row.key_id,
            keyName: row.key_name,
            accountId: row.account_id,
            accountStatus: row.account_status,
            limits: row.limits && { key: limitsAt(row.limits, 0), account: limitsAt(row.limits, 3) },
          },
    project:
      row.project_id === null
        ? null
        : {
            id: row.project_id,
            ownerId: row.owner_id,
            ownerSlug,
            kind: row.kind,
            visibility: row.visibility,
            archived: row.archived,
            autoSaves: row.inference_auto_save,
          },
    alias: row.alias === null ? null : toAlias(row, row.alias),
    share: row.share ? { id: row.share } : null,
    isGuest: row.share !== null,
  };
}

function limitsAt(limits: readonly (string | null)[], offset: number): CallLimits {
  const [perMinute, concurrent, perDay] = limits.slice(offset, offset + 3);
  return {
    requestsPerMinute: perMinute ? Number(perMinute) : null,
    concurrentRequests: concurrent ? Number(concurrent) : null,
    creditsPerDayMicro: perDay ? BigInt(perDay) : null,
  };
}

function toAlias(row: Row, alias: string): AliasRow {
  return {
    id: row.alias_id,
    alias,
    state: row.alias_state,
    visibility: row.alias_visibility,
    targetType: row.target_type,
    targetId: row.target_id,
    baseModelId: row.base_model_id,
    revision: row.revision,
    rateMicroPerMinute: row.rate_micro_per_minute,
    priceVersion: row.price_version,
  };
}
