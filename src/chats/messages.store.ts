import type { Sql } from '#db';
import { parseExactJson } from '#kernel';
import type { MessageImage } from './images.store.ts';

export type MessageState = 'queued' | 'streaming' | 'complete' | 'failed' | 'stopped';

export type MessageRating = 'up' | 'down';

export type MessageError = { code: string; message: string; retryable: boolean; retry_after_s: number | null };

export type MessageRow = {
  id: string;
  chatId: string;
  seq: number;
  role: 'user' | 'assistant' | 'tool';
  content: string | null;
  reasoning: string | null;
  toolCalls: unknown[] | null;
  /** The call that a result answers. */
  toolCallId: string | null;
  /** Null: none. */
  images: MessageImage[] | null;
  /** What the person thinks of the answer. */
  rating: MessageRating | null;
  state: MessageState;
  attempt: number;
  /** How often it was begun; unlike `attempt` it never goes back. */
  starts: number;
  error: MessageError | null;
  finishReason: string | null;
  usage: Record<string, unknown> | null;
  request: Record<string, unknown> | null;
  requestId: string | null;
  modelRevision: number | null;
  activeMs: number;
  creditsMicro: bigint;
  createdAt: Date;
  finishedAt: Date | null;
  /** A process works on it. */
  isRunning: boolean;
};

export const messageColumns = `m.id, m.chat_id as "chatId", m.seq, m.role, m.content, m.reasoning,
  m.tool_calls as "toolCalls", m.tool_call_id as "toolCallId",
  (select json_agg(json_build_object('id', i.id, 'mediaType', i.media_type, 'bytes', i.bytes) order by i.position)
     from chat_images i where i.message_id = m.id) as images, m.rating, m.state, m.attempt, m.starts, m.error, m.finish_reason as "finishReason", m.usage,
  m.request::text as request,
  m.request_id as "requestId", m.model_revision as "modelRevision", m.active_ms as "activeMs",
  m.credits_micro as "creditsMicro", m.created_at as "createdAt", m.finished_at as "finishedAt",
  m.lease_until is not null as "isRunning"`;

/** Requests hold schemas of tools, which the driver would read with rounded numbers and keys in another order. */
type Stored = Omit<MessageRow, 'request'> & { request: string | null };

/** What a statement that gives `messageColumns` gives. */
export async function queryMessages(sql: Sql, text: string, values: readonly unknown[]): Promise<MessageRow[]> {
  const rows = await sql.query<Stored>(text, values);
  return rows.map(({ request, ...row }) => ({
    ...row,
    // as: written by `turns.store.ts`.
    request: request === null ? null : (parseExactJson(request) as Record<string, unknown>),
  }));
}

export function listMessageRows(
  sql: Sql,
  chatId: string,
  { afterSeq, limit }: { afterSeq: number; limit: number },
): Promise<MessageRow[]> {
  return queryMessages(
    sql,
    `select ${messageColumns} from chat_messages m where chat_id = $1 and seq > $2 order by seq limit $3`,
    [chatId, afterSeq, limit],
  );
}

export function listHistory(sql: Sql, chatId: string, beforeSeq: number): Promise<MessageRow[]> {
  return queryMessages(
    sql,
    `select ${messageColumns} from chat_messages m where chat_id = $1 and seq < $2 order by seq`,
    [chatId, beforeSeq],
  );
}

export async function findMessage(
  sql: Sql,
  { chatId, id }: { chatId: string; id: string },
): Promise<MessageRow | null> {
  const [row] = await queryMessages(
    sql,
    `select ${messageColumns} from chat_messages m where id = $1 and chat_id = $2`,
    [id, chatId],
  );
  return row ?? null;
}

/** Only an answer that has ended has a rating. Null: it is none. */
export async function rateMessage(
  sql: Sql,
  { chatId, id }: { chatId: string; id: string },
  rating: MessageRating | null,
): Promise<MessageRow | null> {
  const [row] = await queryMessages(
    sql,
    `update chat_messages m set rating = $3
      where id = $1 and chat_id = $2 and role = 'assistant' and lease_until is null and state <> 'queued'
     returning ${messageColumns}`,
    [id, chatId, rating],
  );
  return row ?? null;
}

export async function countMessages(sql: Sql, chatId: string): Promise<number> {
  const [row] = await sql.query<{ total: number }>(
    'select count(*)::integer as total from chat_messages where chat_id = $1',
    [chatId],
  );
  return row?.total ?? 0;
}

type SavedAttempt = { messageId: string; attempt: number; datasetId: string };

export async function findSavedExample(sql: Sql, { messageId, attempt, datasetId }: SavedAttempt) {
  const [row] = await sql.query<{ exampleId: string }>(
    `select example_id as "exampleId" from chat_examples where message_id = $1 and attempt = $2 and dataset_id = $3`,
    [messageId, attempt, datasetId],
  );
  return row?.exampleId ?? null;
}

/** In place of one that is gone, if there was one. */
export async function insertSavedExample(
  tx: Sql,
  { messageId, attempt, datasetId }: SavedAttempt,
  exampleId: string,
): Promise<void> {
  await tx.query(
    `insert into chat_examples (message_id, attempt, dataset_id, example_id) values ($1, $2, $3, $4)
     on conflict (message_id, attempt, dataset_id) do update set example_id = excluded.example_id`,
    [messageId, attempt, datasetId, exampleId],
  );
}
