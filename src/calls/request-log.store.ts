import type { Sql } from '#db';
import { type Micro, timeOfId } from '#kernel';

export const endStates = ['succeeded', 'failed', 'canceled', 'unknown'] as const;

/** How a call ended. `unknown`: nobody knows whether it was charged. */
export type EndState = (typeof endStates)[number];

/** What is stored of a call that has ended. */
export type LoggedRequest = {
  id: string;
  accountId: string;
  state: EndState;
  operation: string | null;
  projectId: string | null;
  keyId: string | null;
  keyName: string | null;
  model: string | null;
  httpStatus: number | null;
  errorCode: string | null;
  errorMessage: string | null;
  promptTokens: number | null;
  completionTokens: number | null;
  firstTokenMs: number | null;
  totalMs: number | null;
  activeMs: number;
  micro: Micro;
  finishedAt: Date;
};

/** How a call ended, without what it knows of itself whatever becomes of it. */
export type RequestEnd = Pick<
  LoggedRequest,
  'state' | 'httpStatus' | 'errorCode' | 'errorMessage' | 'promptTokens' | 'completionTokens' | 'activeMs' | 'micro'
>;

const columns = [
  ['id', 'text', 'id'],
  ['account_id', 'text', 'accountId'],
  ['state', 'text', 'state'],
  ['operation', 'text', 'operation'],
  ['project_id', 'text', 'projectId'],
  ['key_id', 'text', 'keyId'],
  ['key_name', 'text', 'keyName'],
  ['model', 'text', 'model'],
  ['http_status', 'smallint', 'httpStatus'],
  ['error_code', 'text', 'errorCode'],
  ['error_message', 'text', 'errorMessage'],
  ['prompt_tokens', 'integer', 'promptTokens'],
  ['completion_tokens', 'integer', 'completionTokens'],
  ['first_token_ms', 'integer', 'firstTokenMs'],
  ['total_ms', 'integer', 'totalMs'],
  ['active_ms', 'float8', 'activeMs'],
  ['micro', 'bigint', 'micro'],
  ['finished_at', 'timestamptz', 'finishedAt'],
] as const satisfies (readonly [string, string, keyof LoggedRequest])[];

const hourMs = 3_600_000;

/*
 * Whatever a process says of its own call replaces what others guessed after its death. Tokens are added up for the rows that
 * were written, in the order in which every server locks the hours. Rows need not survive a crash of PostgreSQL.
 */
const statement = `
  with quick as (
    select set_config('synchronous_commit', 'off', true)
  ), written as (
    insert into request_log as known (${columns.map(([name]) => name).join(', ')})
    select request.* from unnest(${columns.map(([, type], index) => `$${index + 1}::${type}[]`).join(', ')}) request
     cross join quick
        on conflict (account_id, id) do update
       set ${columns
         .slice(2)
         .map(([name]) => `${name} = excluded.${name}`)
         .join(', ')}
     where known.state = 'unknown' and excluded.state <> 'unknown'
    returning id, account_id, prompt_tokens, completion_tokens
  )
  insert into token_hours as total (account_id, hour, prompt_tokens, completion_tokens)
  select written.account_id, arrived.hour, sum(written.prompt_tokens), sum(coalesce(written.completion_tokens, 0))
    from written join unnest($1::text[], $${columns.length + 1}::timestamptz[]) as arrived (id, hour) using (id)
   where written.prompt_tokens is not null
   group by 1, 2 order by 1, 2
      on conflict (account_id, hour) do update
     set prompt_tokens = total.prompt_tokens + excluded.prompt_tokens,
         completion_tokens = total.completion_tokens + excluded.completion_tokens`;

/** Writes how calls ended. */
export async function insertRequestLog(sql: Sql, requests: readonly LoggedRequest[]): Promise<void> {
  const hours = requests.map(({ id }) => new Date(Math.floor((timeOfId('req', id) ?? 0) / hourMs) * hourMs));
  await sql.query(statement, [...columns.map(([, , field]) => requests.map((request) => request[field])), hours], {
    name: 'requests.insert_log',
    timeoutMs: 5_000,
  });
}

/**
 * Removes some of the rows of more than `keptDays` ago that are in no month, because their ids are of another time than ours;
 * returns how many. All others go with their month. The time is that of the database: the clock of a server may be wrong. Two
 * processes share the work.
 */
export async function deleteOldRequests(sql: Sql, keptDays: number, limit: number): Promise<number> {
  const rows = await sql.query(
    `with old as (
       select account_id, id from request_log_other where id < first_id_at('req', now() - make_interval(days => $1))
        order by id limit $2 for update skip locked
     )
     delete from request_log_other other using old where other.account_id = old.account_id and other.id = old.id returning 1`,
    [keptDays, limit],
  );
  return rows.length;
}
