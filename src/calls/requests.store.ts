import type { Sql } from '#db';
import type { Micro } from '#kernel';
import type { LoggedRequest } from './request-log.store.ts';

/** All traces that a call has left, from the most to the least certain. */
export type Traces = {
  charge: {
    operation: string | null;
    model: string | null;
    micro: Micro;
    activeMs: number;
    promptTokens: number | null;
    completionTokens: number | null;
    outcome: 'succeeded' | 'client_disconnected' | 'canceled';
    at: Date;
  } | null;
  logged: Pick<
    LoggedRequest,
    | 'state'
    | 'operation'
    | 'model'
    | 'httpStatus'
    | 'errorCode'
    | 'errorMessage'
    | 'firstTokenMs'
    | 'totalMs'
    | 'finishedAt'
  > | null;
  key: { id: string; name: string } | null;
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
  prompt_tokens: number | null;
  completion_tokens: number | null;
  logged_at: Date | null;
  state: LoggedRequest['state'];
  logged_operation: string | null;
  logged_model: string | null;
  http_status: number | null;
  error_code: string | null;
  error_message: string | null;
  first_token_ms: number | null;
  total_ms: number | null;
  key_id: string | null;
  key_name: string | null;
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
            -l.micro as micro, l.active_ms, l.outcome, l.prompt_tokens, l.completion_tokens,
            coalesce(l.key_id, f.key_id, c.key_id) as key_id, coalesce(l.key_name, f.key_name) as key_name,
            f.finished_at as logged_at, f.state, f.operation as logged_operation, f.model as logged_model,
            f.http_status, f.error_code, f.error_message, f.first_token_ms, f.total_ms, c.operation as running_operation, c.model as running_model,
            exists (select from instances where instances.id = c.server_id) as alive, p.owner_slug, p.project_slug
       from (select $1::text as id, $2::text as account_id) requested
       left join lateral (
         select ledger.* from ledger_once once
          cross join lateral (select * from ledger where account_id = requested.account_id and seq = once.seq limit 1) ledger
          where once.type = 'inference' and once.request_id = requested.id) l on true
       left join lateral (
         select * from request_log where id = requested.id and account_id = requested.account_id) f on true
       left join calls c
         on c.request_id = requested.id and c.account_id = requested.account_id and c.status is null and c.project_id is not null
       left join lateral (
         select owner.slug as owner_slug, project.slug as project_slug
           from project_addresses project join accounts owner on owner.id = project.account_id
          where project.id = coalesce(l.project_id, f.project_id, c.project_id)) p on true`,
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
      promptTokens: row.prompt_tokens,
      completionTokens: row.completion_tokens,
      outcome: row.outcome,
      at: row.ledger_at,
    },
    logged: row.logged_at && {
      state: row.state,
      operation: row.logged_operation,
      model: row.logged_model,
      httpStatus: row.http_status,
      errorCode: row.error_code,
      errorMessage: row.error_message,
      firstTokenMs: row.first_token_ms,
      totalMs: row.total_ms,
      finishedAt: row.logged_at,
    },
    key: row.key_id === null ? null : { id: row.key_id, name: row.key_name ?? row.key_id },
    running:
      row.running_operation === null
        ? null
        : { operation: row.running_operation, model: row.running_model, alive: row.alive },
    project: row.owner_slug === null ? null : { owner: row.owner_slug, slug: row.project_slug },
  };
}
