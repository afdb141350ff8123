import type { Sql } from '#db';
import type { Patience } from './locks.store.ts';

/** The last life sign of an instance as PostgreSQL writes it; null: it owns holds but is not registered. */
export type Sighting = { id: string; seenAt: string | null };

/**
 * Registers the instance or renews its life sign; the time is the database's.
 *
 * @returns whether it was not registered: it is new, or others took it for dead and gave its holds back.
 */
export async function renewInstance(sql: Sql, id: string): Promise<{ wasUnknown: boolean }> {
  const rows = await sql.query<{ known: boolean }>(
    `with before as (select from instances where id = $1)
     insert into instances (id) values ($1) on conflict (id) do update set seen_at = now()
     returning exists (select from before) as known`,
    [id],
    { name: 'billing.renew_instance', timeoutMs: 5_000 },
  );
  return { wasUnknown: rows[0]?.known !== true };
}

/** Forgets an instance that has ended; holds that it left behind are then given back like those of a dead one. */
export async function deleteInstance(sql: Sql, id: string): Promise<void> {
  await sql.query('delete from instances where id = $1', [id]);
}

export type Surroundings = {
  /** Every other instance that is registered or owns holds. */
  others: Sighting[];
  /** Request ids of the holds of this instance. */
  ownHolds: string[];
};

/** In one statement: instances look every few seconds, and mostly there is nothing to be seen. */
export async function lookAround(sql: Sql, id: string): Promise<Surroundings> {
  const rows = await sql.query<{ id: string; seen_at: string | null; own_holds: string[] | null }>(
    `select id, instances.seen_at::text, null::text[] as own_holds
       from (select id from instances union select instance_id from holds) known left join instances using (id)
      where id <> $1
      union all
     select $1, null, array_agg(request_id) from holds where instance_id = $1 having count(*) > 0`,
    [id],
    { name: 'billing.look_around' },
  );
  const others = rows.filter((row) => row.own_holds === null);
  return {
    others: others.map((row) => ({ id: row.id, seenAt: row.seen_at })),
    ownHolds: rows.flatMap((row) => row.own_holds ?? []),
  };
}

/**
 * Gives back the holds of these instances and forgets them, in one statement; one that has shown life since it was
 * sighted is spared. Two processes that do this at once share the work.
 *
 * @param options with `passingOver`, holds of accounts whose rows are locked stay: they are then holds of an instance that is
 * not registered.
 * @returns the number of holds given back.
 */
export async function buryInstances(
  sql: Sql,
  sightings: readonly Sighting[],
  { passingOver = false, ...patience }: Partial<Patience> & { passingOver?: boolean } = {},
): Promise<number> {
  const rows = await sql.query<{ holds: number }>(
    `with sighted as (
       select * from unnest($1::text[], $2::text[]) as sighted (id, seen_at)
     ), forgotten as (
       select id from instances join sighted using (id)
        where instances.seen_at = sighted.seen_at::timestamptz
        order by id for update of instances skip locked
     ), gone as (
       delete from instances using forgotten where instances.id = forgotten.id
     ), dead as (
       select id from forgotten
       union all select id from sighted where not exists (select from instances where instances.id = sighted.id)
     ), account as (
       select id from accounts
        where id in (select account_id from holds where instance_id in (select id from dead))
        order by id for no key update ${passingOver ? 'skip locked' : ''}
     ), freed as (
       delete from holds using account
        where holds.account_id = account.id and holds.instance_id in (select id from dead)
       returning holds.account_id, holds.micro
     ), lowered as (
       update accounts set held_micro = held_micro - total.micro
         from (select account_id, sum(micro)::bigint as micro from freed group by account_id) total
        where accounts.id = total.account_id
     )
     select count(*)::integer as holds from freed`,
    [sightings.map(({ id }) => id), sightings.map(({ seenAt }) => seenAt)],
    patience,
  );
  return rows[0]?.holds ?? 0;
}
