import type { Sql } from '#db';
import type { Micro } from '#kernel';

/** How a call ended that left no ledger row. */
export type FailedState = 'failed' | 'canceled' | 'unknown';

/** What is known of a failed call. */
export type FailedRequest = {
  id: string;
  accountId: string;
  state: FailedState;
  operation: string | null;
  projectId: string | null;
  model: string | null;
  httpStatus: number | null;
  errorCode: string | null;
  finishedAt: Date;
};

/** Writes how calls failed. Whatever a process says of its own call replaces what others guessed after its death. */
export async function insertFailedRequests(sql: Sql, requests: readonly FailedRequest[]): Promise<void> {
  await sql.query(
    `insert into failed_requests as known
       (id, account_id, state, operation, project_id, model, http_status, error_code, finished_at)
     select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::smallint[],
                          $8::text[], $9::timestamptz[])
     on conflict (id) do update
        set state = excluded.state, operation = excluded.operation, project_id = excluded.project_id,
            model = excluded.model, http_status = excluded.http_status, error_code = excluded.error_code,
            finished_at = excluded.finished_at
      where known.state = 'unknown' and excluded.state <> 'unknown'`,
    [
      requests.map(({ id }) => id),
      requests.map(({ accountId }) => accountId),
      requests.map(({ state }) => state),
      requests.map(({ operation }) => operation),
      requests.map(({ projectId }) => projectId),
      requests.map(({ model }) => model),
      requests.map(({ httpStatus }) => httpStatus),
      requests.map(({ errorCode }) => errorCode),
      requests.map(({ finishedAt }) => finishedAt),
    ],
    { name: 'requests.insert_failed', timeoutMs: 5_000 },
  );
}

/** All traces that a call has left, from the most to the least certain. */
export type Traces = {
  charge: {
    operation: string | null;
    model: string | null;
    micro: Micro;
    activeMs: number;
    outcome: 'succeeded' | 'client_disconnected' | 'canceled';
    at: Date;
  } | null;
  failure: Omit<FailedRequest, 'id' | 'accountId' | 'projectId'> | null;
  /** It has not ended; `alive`: its server lives. */
  running: { operation: string; model: string | null; alive: boolean } | null;
  project: { owner: string; slug: string } | null;
};

type Row = {
  ledger_at: Date | null;
  ledger_operation: string | null;
  ledger_model: string | null;
  micro: bigint;
  active_ms: number;
  outcome: 'succeeded' | 'client_disconnected' | 'canceled';
  failed_at: Date | null;
  state: FailedState;
  failed_operation: string | null;
  failed_model: string | null;
  http_status: number | null;
  error_code: string | null;
  running_operation: string | null;
  running_model: string | null;
  alive: boolean;
  owner_slug: string | null;
  project_slug: string;
};

/** Looks for a call of an account in every place where one can leave something, in one statement. */
export async function findTraces(sql: Sql, { id, accountId }: { id: string; accountId: string }): Promise<Traces> {
  const [row] = await sql.query<Row>(
    `select l.created_at as ledger_at, l.operation as ledger_operation, l.model_requested as ledger_model,
            -l.micro as micro, l.active_ms, l.outcome,
            f.finished_at as failed_at, f.state, f.operation as failed_operation, f.model as failed_model,
            f.http_status, f.error_code, c.operation as running_operation, c.model as running_model,
            exists (select from instances where instances.id = c.server_id) as alive, p.owner_slug, p.project_slug
       from (select $1::text as id, $2::text as account_id) requested
       left join lateral (
         select ledger.* from ledger_once once
          cross join lateral (select * from ledger where account_id = requested.account_id and seq = once.seq limit 1) ledger
          where once.type = 'inference' and once.request_id = requested.id) l on true
       left join lateral (
         select * from failed_requests where id = requested.id and account_id = requested.account_id) f on true
       left join calls c
         on c.request_id = requested.id and c.account_id = requested.account_id and c.status is null and c.project_id is not null
       left join lateral (
         select owner.slug as owner_slug, projects.slug as project_slug
           from projects join accounts owner on owner.id = projects.account_id
          where projects.id = coalesce(l.project_id, f.project_id, c.project_id)) p on true`,
    [id, accountId],
    { name: 'requests.find_traces' },
  );
  if (!row) throw new Error('A look-up of one request gave no row. This is a bug.');
  return tracesOf(row);
}

function tracesOf(row: Row): Traces {
  return {
    charge: row.ledger_at && {
      operation: row.ledger_operation,
      model: row.ledger_model,
      micro: row.micro,
      activeMs: row.active_ms,
      outcome: row.outcome,
      at: row.ledger_at,
    },
    failure: row.failed_at && {
      state: row.state,
      operation: row.failed_operation,
      model: row.failed_model,
      httpStatus: row.http_status,
      errorCode: row.error_code,
      finishedAt: row.failed_at,
    },
    running:
      row.running_operation === null
        ? null
        : { operation: row.running_operation, model: row.running_model, alive: row.alive },
    project: row.owner_slug === null ? null : { owner: row.owner_slug, slug: row.project_slug },
  };
}

/**
 * Removes some of the rows of more than `keptDays` ago that are in no month, because their ids are of another time than ours;
 * returns how many. All others go with their month. The time is that of the database: the clock of a server may be wrong. Two
 * processes share the work.
 */
export async function deleteOldFailures(sql: Sql, keptDays: number, limit: number): Promise<number> {
  const rows = await sql.query(
    `with old as (
       select id from failed_requests_other where id < first_id_at('req', now() - make_interval(days => $1))
        order by id limit $2 for update skip locked
     )
     delete from failed_requests_other other using old where other.id = old.id returning 1`,
    [keptDays, limit],
  );
  return rows.length;
}
