import type { Sql } from '#db';
import { firstIdAt, type Micro } from '#kernel';

export type AccountState = {
  slug: string;
  bornAt: Date;
  balanceMicro: Micro;
  heldMicro: Micro;
  projects: number;
  recentProjects: {
    id: string;
    slug: string;
    name: string;
    kind: 'text' | 'embedding';
    visibility: 'private' | 'public';
    /** As JSON has it. */
    createdAt: string;
    updatedAt: string;
  }[];
  keys: number;
  activeKeys: number;
  /** Active, and not used for thirty days. */
  unusedKeys: number;
  activeModels: number;
  warmingModels: number;
  failures: number;
  /** The latest of them. */
  failedModels: { id: string; alias: string; projectSlug: string }[];
  errors: number[];
  /** By point, as `errors`. */
  calls: PointCalls[];
  p50Ms: number | null;
  p95Ms: number | null;
  hasCalled: boolean;
};

/** What is known of the calls of a point; times in ms from arrival to end, null without calls. */
export type PointCalls = { promptTokens: number; completionTokens: number; p50Ms: number | null; p95Ms: number | null };

/** Latest calls of one point whose times are looked at. */
const sampledCalls = 300;
/** Errors of one point are counted up to this number. */
const mostErrors = 100_000;
/** Latest rows of the ledger whose times are looked at. */
const sampledRows = 1_000;
const shownProjects = 5;
const shownFailures = 5;

/*
 * Everything but usage, in one statement and so of one time. Each part is bounded: by what an account may have
 * (projects, keys, models), by `limit`, or by an index that holds just what is counted.
 */
const statement = `
  select a.slug, a.created_at as "bornAt", a.balance_micro as "balanceMicro", a.held_micro as "heldMicro", p.*, k.*, m.*, e.*, c.*, t.*,
         exists (select from ledger where account_id = a.id and type = 'inference') as "hasCalled"
    from accounts a
   cross join lateral (
     select (select count(*) from projects where account_id = a.id and archived_at is null)::integer as projects,
            (select coalesce(json_agg(newest), '[]') from (
               select id, slug, name, kind, visibility, created_at as "createdAt", updated_at as "updatedAt" from projects
                where account_id = a.id and archived_at is null order by created_at desc, id desc
                limit ${shownProjects}) newest) as "recentProjects") p
   cross join lateral (
     select count(*)::integer as keys, count(*) filter (where active)::integer as "activeKeys",
            count(*) filter (where active and coalesce(last_used_at, created_at) < $2::timestamptz)::integer as "unusedKeys"
       from api_keys where account_id = a.id) k
   cross join lateral (
     select count(*) filter (where h.state = 'active')::integer as "activeModels",
            count(*) filter (where h.state = 'warming')::integer as "warmingModels",
            count(*) filter (where h.state = 'failed')::integer as failures,
            coalesce(to_json((array_agg(
              json_build_object('id', h.id, 'alias', h.alias, 'projectSlug', (
                select slug from projects where id = h.project_id))
              order by h.updated_at desc, h.id desc) filter (where h.state = 'failed'))[1:${shownFailures}]),
              '[]') as "failedModels"
       from projects join hosted_models h on h.project_id = projects.id
      where projects.account_id = a.id and projects.archived_at is null) m
   cross join lateral (
     select coalesce(array_agg(counted.errors order by position), '{}') as errors
       from unnest($3::text[], $4::text[]) with ordinality as point (first_id, end_id, position)
      cross join lateral (
        select count(*)::integer as errors from (
          select from request_log
           where account_id = a.id and id >= point.first_id and id < point.end_id
             and state <> 'succeeded' and state <> 'canceled'
           limit ${mostErrors}) failure) counted) e
   cross join lateral (
     select coalesce(json_agg(json_build_object('promptTokens', tokens.prompt, 'completionTokens', tokens.completion,
                                                'p50Ms', times.p50, 'p95Ms', times.p95) order by position), '[]') as calls
       from unnest($3::text[], $4::text[], $6::timestamptz[], $7::timestamptz[]) with ordinality
            as point (first_id, end_id, first_hour, end_hour, position)
      cross join lateral (
        select coalesce(sum(prompt_tokens), 0) as prompt, coalesce(sum(completion_tokens), 0) as completion from token_hours
         where account_id = a.id and hour >= point.first_hour and hour < point.end_hour) tokens
      cross join lateral (
        select percentile_cont(0.5) within group (order by total_ms) as p50,
               percentile_cont(0.95) within group (order by total_ms) as p95
          from (select state, total_ms from request_log
                 where account_id = a.id and id >= point.first_id and id < point.end_id
                 order by id desc limit ${sampledCalls}) latest
         where state = 'succeeded') times) c
   cross join lateral (
     select percentile_cont(0.5) within group (order by active_ms) as "p50Ms",
            percentile_cont(0.95) within group (order by active_ms) as "p95Ms"
       from (select type, active_ms, created_at from ledger
              where account_id = a.id order by seq desc limit ${sampledRows}) latest
      where type = 'inference' and created_at >= $5) t
   where a.id = $1`;

const monthMs = 30 * 24 * 3_600_000;

/** @param window.points starts of the points, with the end of the last one. Null: there is no such account. */
export async function findAccountState(
  sql: Sql,
  accountId: string,
  window: { nowMs: number; points: readonly Date[]; end: Date; since: Date },
): Promise<AccountState | null> {
  const times = [...window.points, window.end];
  const borders = times.map((point) => firstIdAt('req', point.getTime()));
  const [row] = await sql.query<AccountState>(
    statement,
    [
      accountId,
      new Date(window.nowMs - monthMs),
      borders.slice(0, -1),
      borders.slice(1),
      window.since,
      times.slice(0, -1),
      times.slice(1),
    ],
    { name: 'dashboard.account_state' },
  );
  return row ?? null;
}
