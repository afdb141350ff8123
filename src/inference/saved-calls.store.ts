import { type Sql, timeText } from '#db';
import type { ListPosition } from '#kernel';
import { parseExactJson } from '#kernel';

/** A call as it is kept; `messages`, `tools`, `params` and `answer` are JSON texts. */
export type NewSavedCall = {
  requestId: string;
  projectId: string;
  accountId: string;
  /** Null: somebody who is signed in. */
  keyId: string | null;
  keyName: string | null;
  modelRequested: string;
  modelServed: string;
  modelRevision: number | null;
  messages: string;
  tools: string;
  params: string;
  answer: string;
  finishReason: 'stop' | 'length' | 'tool_calls';
  promptTokens: number;
  completionTokens: number;
  reasoningTokens: number;
  cachedTokens: number;
  activeMs: number;
  promptPreview: string;
  answerPreview: string;
  searchText: string;
};

const insertColumns = [
  ['request_id', 'text', 'requestId'],
  ['project_id', 'text', 'projectId'],
  ['account_id', 'text', 'accountId'],
  ['key_id', 'text', 'keyId'],
  ['key_name', 'text', 'keyName'],
  ['model_requested', 'text', 'modelRequested'],
  ['model_served', 'text', 'modelServed'],
  ['model_revision', 'integer', 'modelRevision'],
  ['messages', 'json', 'messages'],
  ['tools', 'json', 'tools'],
  ['params', 'json', 'params'],
  ['answer', 'json', 'answer'],
  ['finish_reason', 'text', 'finishReason'],
  ['prompt_tokens', 'integer', 'promptTokens'],
  ['completion_tokens', 'integer', 'completionTokens'],
  ['reasoning_tokens', 'integer', 'reasoningTokens'],
  ['cached_tokens', 'integer', 'cachedTokens'],
  ['active_ms', 'float8', 'activeMs'],
  ['prompt_preview', 'text', 'promptPreview'],
  ['answer_preview', 'text', 'answerPreview'],
  ['search_text', 'text', 'searchText'],
] as const satisfies (readonly [string, string, keyof NewSavedCall])[];

const insertNames = insertColumns.map(([name]) => name).join(', ');
const insertArrays = insertColumns.map(([, type], index) => `$${index + 1}::${type}[]`).join(', ');

/** The setting is asked once more: nothing is written after it was switched off. A call that is there stays as it is. */
const insertStatement = `
  insert into saved_calls (${insertNames})
  select ${insertColumns.map(([name]) => `call.${name}`).join(', ')}
    from unnest(${insertArrays}) as call (${insertNames})
    join projects on projects.id = call.project_id and projects.inference_auto_save
     for key share of projects
  on conflict (request_id) do nothing
  returning request_id`;

/** Writes any number of calls in one statement; gives the ids of those that were written. */
export async function insertSavedCalls(sql: Sql, calls: readonly NewSavedCall[]): Promise<ReadonlySet<string>> {
  const values = insertColumns.map(([, , field]) => calls.map((call) => call[field]));
  const rows = await sql.query<{ request_id: string }>(insertStatement, values, { name: 'inference.save_calls' });
  return new Set(rows.map(({ request_id: requestId }) => requestId));
}

/** What a list shows of a call. */
export type SavedCallRow = {
  requestId: string;
  keyId: string | null;
  keyName: string | null;
  modelRequested: string;
  modelServed: string;
  modelRevision: number | null;
  finishReason: 'stop' | 'length' | 'tool_calls';
  promptTokens: number;
  completionTokens: number;
  reasoningTokens: number;
  cachedTokens: number;
  activeMs: number;
  promptPreview: string;
  answerPreview: string;
  createdAt: Date;
};

/** The whole call. */
export type SavedCallDetail = SavedCallRow & {
  messages: Record<string, unknown>[];
  tools: Record<string, unknown>[];
  params: Record<string, unknown>;
  answer: Record<string, unknown>;
};

const rowColumns = `request_id as "requestId", key_id as "keyId", key_name as "keyName",
  model_requested as "modelRequested", model_served as "modelServed", model_revision as "modelRevision",
  finish_reason as "finishReason", prompt_tokens as "promptTokens", completion_tokens as "completionTokens",
  reasoning_tokens as "reasoningTokens", cached_tokens as "cachedTokens", active_ms as "activeMs",
  prompt_preview as "promptPreview", answer_preview as "answerPreview", created_at as "createdAt"`;

/** Tools and parameters hold schemas, which the driver would read with rounded numbers and keys in another order. */
type KeptDetail = Omit<SavedCallDetail, 'tools' | 'params'> & { tools: string; params: string };

const detailColumns = `${rowColumns}, messages, tools::text as tools, params::text as params, answer`;

function detailOf(row: KeptDetail): SavedCallDetail {
  // as: written by `auto-save-record.ts`.
  const tools = parseExactJson(row.tools) as SavedCallDetail['tools'];
  const params = parseExactJson(row.params) as SavedCallDetail['params'];
  return { ...row, tools, params };
}

export type SavedCallFilter = {
  projectId: string;
  /** What was saved before is past its time, whether it has been swept or not. */
  keptSince: Date;
  requestId: string | null;
  model: string | null;
  finishReason: SavedCallRow['finishReason'] | null;
  from: Date | null;
  to: Date | null;
  /** Folded. */
  search: string | null;
};

/** Only filters that are set are in the text, so that each keeps its index. */
function filtered({ projectId, keptSince, requestId, model, finishReason, from, to, search }: SavedCallFilter) {
  const values: unknown[] = [projectId, from !== null && from > keptSince ? from : keptSince];
  const conditions = ['project_id = $1', 'created_at >= $2'];
  if (to !== null) conditions.push(`created_at < $${values.push(to)}`);
  if (requestId !== null) conditions.push(`request_id = $${values.push(requestId)}`);
  if (model !== null) conditions.push(`model_requested = $${values.push(model)}`);
  if (finishReason !== null) conditions.push(`finish_reason = $${values.push(finishReason)}`);
  if (search !== null) conditions.push(`strpos(search_text, $${values.push(search)}) > 0`);
  return { values, from: `from saved_calls where ${conditions.join(' and ')}` };
}

/** Calls after a position, newest first, and how many there are under the filter. */
export async function listSavedCallRows(
  sql: Sql,
  filter: SavedCallFilter,
  { after, limit }: { after: ListPosition; limit: number },
): Promise<{ rows: (SavedCallRow & { position: string })[]; totalCount: number }> {
  const list = filtered(filter);
  const place = `(created_at, request_id) < ($${list.values.push(after.createdAt)}::timestamptz, $${list.values.push(after.id)})`;
  const count = filtered(filter);
  const [rows, [counted]] = await Promise.all([
    sql.query<SavedCallRow & { position: string }>(
      `select ${rowColumns}, ${timeText('created_at')} as position
         ${list.from} and ${place} order by created_at desc, request_id desc limit $${list.values.push(limit)}`,
      list.values,
    ),
    sql.query<{ total: number }>(`select count(*)::integer as total ${count.from}`, count.values),
  ]);
  return { rows, totalCount: counted?.total ?? 0 };
}

export type SavedCallAddress = { projectId: string; requestId: string; keptSince: Date };

export async function findSavedCall(
  sql: Sql,
  { projectId, requestId, keptSince }: SavedCallAddress,
): Promise<SavedCallDetail | null> {
  const [row] = await sql.query<KeptDetail>(
    `select ${detailColumns} from saved_calls
      where request_id = $1 and project_id = $2 and created_at >= $3`,
    [requestId, projectId, keptSince],
  );
  return row === undefined ? null : detailOf(row);
}

/** Ids of calls of a filter after one of them, the oldest first, and how many there are after it. */
export async function listSavedCallIds(
  sql: Sql,
  filter: SavedCallFilter,
  { after, limit }: { after: string; limit: number },
): Promise<{ ids: string[]; total: number }> {
  const list = filtered(filter);
  const rows = await sql.query<{ id: string; total: bigint }>(
    `select request_id as id, count(*) over () as total ${list.from} and request_id > $${list.values.push(after)}
      order by request_id limit $${list.values.push(limit)}`,
    list.values,
  );
  return { ids: rows.map(({ id }) => id), total: Number(rows[0]?.total ?? 0n) };
}

/** Of a project, those of the ids that are there. */
export async function findSavedCalls(
  sql: Sql,
  { projectId, ids, keptSince }: { projectId: string; ids: readonly string[]; keptSince: Date },
): Promise<SavedCallDetail[]> {
  const rows = await sql.query<KeptDetail>(
    `select ${detailColumns} from saved_calls
      where request_id = any($1) and project_id = $2 and created_at >= $3`,
    [ids, projectId, keptSince],
  );
  return rows.map(detailOf);
}

/** False when there was no such call. */
export async function deleteSavedCall(
  sql: Sql,
  { projectId, requestId, keptSince }: SavedCallAddress,
): Promise<boolean> {
  const rows = await sql.query(
    'delete from saved_calls where request_id = $1 and project_id = $2 and created_at >= $3 returning request_id',
    [requestId, projectId, keptSince],
  );
  return rows.length > 0;
}

/** Deletes at most `limit` calls of the filter; says how many. */
export async function deleteSavedCallRows(sql: Sql, filter: SavedCallFilter, limit: number): Promise<number> {
  const { values, from } = filtered(filter);
  const rows = await sql.query(
    `with due as (
       select request_id ${from} order by created_at desc, request_id desc limit $${values.push(limit)} for update
     )
     delete from saved_calls using due where saved_calls.request_id = due.request_id returning saved_calls.request_id`,
    values,
  );
  return rows.length;
}

/**
 * Deletes at most `limit` calls that are past their time by the clock of the database: that of a server may be wrong. Those
 * that another replica is about to delete are left to it.
 */
export async function deleteExpiredCalls(sql: Sql, retentionDays: number, limit: number): Promise<number> {
  const rows = await sql.query(
    `with due as (
       select request_id from saved_calls where created_at < now() - make_interval(days => $1)
        order by created_at limit $2 for update skip locked
     )
     delete from saved_calls using due where saved_calls.request_id = due.request_id returning saved_calls.request_id`,
    [retentionDays, limit],
  );
  return rows.length;
}
