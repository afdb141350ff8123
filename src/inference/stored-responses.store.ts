import type { Sql } from '#db';
import { parseExactJson } from '#kernel';
import type { StoredResponse } from './stored-responses.ts';

/** A response as it is stored; `input` and `body` are JSON texts. */
export type StoredResponseRow = {
  projectId: string;
  accountId: string;
  id: string;
  previousId: string | null;
  model: string;
  input: string;
  body: string;
  /** Of `input` and `body`. */
  bytes: number;
};

/** Whose response it is. */
export type ResponseOwner = { projectId: string; accountId: string };

/** A response is gone so long after it was made, whether it has been swept or not. */
export type ResponseAddress = ResponseOwner & { id: string; retentionDays: number };

const insertColumns = [
  ['project_id', 'text', 'projectId'],
  ['account_id', 'text', 'accountId'],
  ['id', 'text', 'id'],
  ['previous_id', 'text', 'previousId'],
  ['model', 'text', 'model'],
  ['input', 'text', 'input'],
  ['body', 'text', 'body'],
  ['bytes', 'integer', 'bytes'],
] as const satisfies (readonly [string, string, keyof StoredResponseRow])[];

const insertNames = insertColumns.map(([name]) => name).join(', ');
const insertArrays = insertColumns.map(([, type], index) => `$${index + 1}::${type}[]`).join(', ');

/**
 * Stores any number of responses in one statement; those that are there stay as they are. In a project that was deleted nothing is
 * stored: the call is charged nevertheless.
 */
export async function insertResponses(sql: Sql, responses: readonly StoredResponseRow[]): Promise<void> {
  const values = insertColumns.map(([, , field]) => responses.map((response) => response[field]));
  await sql.query(
    `insert into stored_responses (${insertNames})
     select ${insertColumns.map(([name]) => `response.${name}`).join(', ')}
       from unnest(${insertArrays}) as response (${insertNames}) join projects p on p.id = response.project_id
        for key share of p
     on conflict do nothing`,
    values,
    { name: 'inference.store_responses' },
  );
}

type Row = {
  id: string;
  previousId: string | null;
  model: string;
  input: string;
  body: string;
  createdAt: Date;
};

const columns = `id, previous_id as "previousId", model, input, body, created_at as "createdAt"`;

function responseOf({ input, body, ...row }: Row): StoredResponse {
  // as: written by `storing-responses.ts`.
  return { ...row, input: parseExactJson(input) as object[], body: parseExactJson(body) as object };
}

export async function findResponse(sql: Sql, address: ResponseAddress): Promise<StoredResponse | null> {
  const [row] = await sql.query<Row>(
    `select ${columns} from stored_responses
      where project_id = $1 and account_id = $2 and id = $3 and created_at >= now() - make_interval(days => $4)`,
    [address.projectId, address.accountId, address.id, address.retentionDays],
    { name: 'inference.find_response' },
  );
  return row ? responseOf(row) : null;
}

export type ChainBounds = { mostResponses: number; mostBytes: number };

/** `isWhole`: the first of them follows nothing. */
export type FoundChain = { responses: StoredResponse[]; isWhole: boolean; isTooLong: boolean };

/**
 * A response and those that it follows, the oldest first. What it follows may be past its time: it is kept for as long as it is
 * followed. Where there is more than the bounds allow, what is read ends soon behind them.
 */
export async function findChain(sql: Sql, address: ResponseAddress, bounds: ChainBounds): Promise<FoundChain> {
  const rows = await sql.query<Row & { total: bigint; place: number }>(
    `with recursive chain as (
       select id, previous_id, model, input, body, created_at, bytes::bigint as total, 1 as place from stored_responses
        where project_id = $1 and account_id = $2 and id = $3 and created_at >= now() - make_interval(days => $4)
       union all
       select r.id, r.previous_id, r.model, r.input, r.body, r.created_at, chain.total + r.bytes, chain.place + 1
         from chain join stored_responses r on r.project_id = $1 and r.account_id = $2 and r.id = chain.previous_id
        where chain.place <= $5 and chain.total <= $6
     )
     select ${columns}, total, place from chain order by place desc`,
    [address.projectId, address.accountId, address.id, address.retentionDays, bounds.mostResponses, bounds.mostBytes],
    { name: 'inference.find_chain' },
  );
  const [oldest] = rows;
  return {
    responses: rows.map(({ total: _, place: __, ...row }) => responseOf(row)),
    isWhole: oldest !== undefined && oldest.previousId === null,
    isTooLong: oldest !== undefined && (oldest.place > bounds.mostResponses || oldest.total > BigInt(bounds.mostBytes)),
  };
}

/** False when there was none. */
export async function deleteResponse(
  sql: Sql,
  { projectId, accountId, id }: ResponseOwner & { id: string },
): Promise<boolean> {
  const rows = await sql.query(
    'delete from stored_responses where project_id = $1 and account_id = $2 and id = $3 returning id',
    [projectId, accountId, id],
  );
  return rows.length > 0;
}

/** Deletes the oldest responses of an account, until the others are within so many bytes; says how many. */
export async function deleteOldestResponses(sql: Sql, accountId: string, mostBytes: number): Promise<number> {
  const rows = await sql.query(
    `delete from stored_responses using (
       select project_id, id, sum(bytes) over (order by created_at desc, id desc) as total
         from stored_responses where account_id = $1
     ) newest
      where newest.total > $2 and stored_responses.project_id = newest.project_id
        and stored_responses.account_id = $1 and stored_responses.id = newest.id
     returning stored_responses.id`,
    [accountId, mostBytes],
  );
  return rows.length;
}

/**
 * Deletes at most `limit` responses that are past their time and that nothing follows; says how many. What those had followed comes
 * next. A call that began just before has an hour to go on from them. Rows that another replica is about to delete are left to it.
 */
export async function deleteExpiredResponses(sql: Sql, retentionDays: number, limit: number): Promise<number> {
  const rows = await sql.query(
    `with due as (
       select project_id, account_id, id from stored_responses r
        where created_at < now() - make_interval(days => $1, hours => 1)
          and not exists (select from stored_responses later
                           where later.project_id = r.project_id and later.account_id = r.account_id and later.previous_id = r.id)
        order by created_at desc limit $2 for update skip locked
     )
     delete from stored_responses r using due
      where r.project_id = due.project_id and r.account_id = due.account_id and r.id = due.id returning r.id`,
    [retentionDays, limit],
  );
  return rows.length;
}
