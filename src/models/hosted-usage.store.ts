import type { Sql } from '#db';
import type { LastUse } from '#kernel';

/**
 * Moves `last_called_at` forward, each alias at most once in `spacingMs`, whichever replica saw the call, and never beyond
 * the time of the database: the clock of a server may be wrong. Rows are locked in the order of their ids, so that two
 * replicas never wait for each other in a circle.
 */
export async function updateModelsLastCalled(sql: Sql, uses: readonly LastUse[], spacingMs: number): Promise<void> {
  await sql.query(
    `with due as (
       select h.id, u.at
       from (select id, least(at, now()) as at from unnest($1::text[], $2::timestamptz[]) as u (id, at)) u
       join hosted_models h on h.id = u.id
       where h.last_called_at is null or h.last_called_at <= u.at - make_interval(secs => $3::double precision / 1000)
          or h.last_called_at > now()
       order by h.id
       for no key update of h
     )
     update hosted_models h set last_called_at = due.at from due where h.id = due.id`,
    [uses.map(({ id }) => id), uses.map(({ at }) => at), spacingMs],
  );
}

/** The same for `last_used_at` of shares. */
export async function updateSharesLastUsed(sql: Sql, uses: readonly LastUse[], spacingMs: number): Promise<void> {
  await sql.query(
    `with due as (
       select s.id, u.at
       from (select id, least(at, now()) as at from unnest($1::text[], $2::timestamptz[]) as u (id, at)) u
       join model_shares s on s.id = u.id
       where s.last_used_at is null or s.last_used_at <= u.at - make_interval(secs => $3::double precision / 1000)
          or s.last_used_at > now()
       order by s.id
       for no key update of s
     )
     update model_shares s set last_used_at = due.at from due where s.id = due.id`,
    [uses.map(({ id }) => id), uses.map(({ at }) => at), spacingMs],
  );
}
