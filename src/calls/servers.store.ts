import type { Sql } from '#db';

/** The last heartbeat of a server as PostgreSQL writes it; null: it has calls but is not registered. */
export type Sighting = { id: string; seenAt: string | null };

/** Where a server runs, and what it does. */
export type ServerFacts = { host: string; roles: string };

/** A server that is registered. */
export type RunningServer = {
  id: string;
  host: string | null;
  roles: string | null;
  startedAt: Date;
  seenAt: Date;
  /** Calls of models that it works on. */
  calls: number;
};

export function listServers(sql: Sql): Promise<RunningServer[]> {
  return sql.query<RunningServer>(
    `select i.id, i.host, i.roles, i.started_at as "startedAt", i.seen_at as "seenAt",
            (select count(*)::integer from calls c where c.server_id = i.id and c.status is null) as calls
       from instances i order by i.started_at, i.id`,
  );
}

/** Registers the server or renews its heartbeat; the time is the database's. */
export async function renewServer(sql: Sql, id: string, facts: ServerFacts | null = null): Promise<void> {
  await sql.query(
    `insert into instances (id, host, roles) values ($1, $2, $3)
     on conflict (id) do update set seen_at = now()`,
    [id, facts?.host ?? null, facts?.roles ?? null],
    { name: 'calls.renew_server', timeoutMs: 5_000 },
  );
}

/** Removes a server that has ended; calls that it left behind are then reaped like those of a dead one. */
export async function deleteServer(sql: Sql, id: string): Promise<void> {
  await sql.query('delete from instances where id = $1', [id]);
}

/** Every other server that is registered or has calls. */
export function listOtherServers(sql: Sql, id: string): Promise<Sighting[]> {
  return sql.query<Sighting>(
    `select id, instances.seen_at::text as "seenAt"
       from (select id from instances union select server_id from calls where status is null and server_id is not null) known
       left join instances using (id)
      where id <> $1`,
    [id],
    { name: 'calls.list_servers' },
  );
}

/** Ids of the calls of this server that have not ended. */
export async function listOwnCalls(sql: Sql, id: string): Promise<string[]> {
  const rows = await sql.query<{ request_id: string }>(
    'select request_id from calls where server_id = $1 and status is null',
    [id],
    { name: 'calls.list_own' },
  );
  return rows.map(({ request_id: requestId }) => requestId);
}

/**
 * Ends the calls of these servers and removes the servers; one that has shown life since it was sighted is spared. Two servers that
 * do this at once share the work. Calls of accounts whose row is locked stay, as calls of a server that is not registered.
 *
 * @returns the number of calls that were ended.
 */
export async function reapServers(sql: Sql, sightings: readonly Sighting[]): Promise<number> {
  const [row] = await sql.query<{ calls: number }>(
    `with sighted as (
       select * from unnest($1::text[], $2::text[]) as sighted (id, seen_at)
     ), forgotten as (
       select id from instances join sighted using (id)
        where instances.seen_at = sighted.seen_at::timestamptz
        order by id for update of instances skip locked
     ), gone as (
       delete from instances using forgotten where instances.id = forgotten.id returning instances.id
     ), dead as (
       select id from gone
       union all select id from sighted where not exists (select from instances where instances.id = sighted.id)
     )
     select reap_calls(array(select id from dead)) as calls`,
    [sightings.map(({ id }) => id), sightings.map(({ seenAt }) => seenAt)],
  );
  return row?.calls ?? 0;
}
