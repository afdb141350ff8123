import type { Sql } from '#db';
import {
  type MessageError,
  type MessageRow,
  type MessageState,
  messageColumns,
  queryMessages,
} from './messages.store.ts';

/** How long a process may be silent about an answer before it counts as dead. */
const lease = `now() + interval '15 seconds'`;

export type SentMessage = Pick<MessageRow, 'role' | 'toolCallId'> & { content: string };

/** A message of the user, or the result of a tool. */
export async function insertSentMessage(
  tx: Sql,
  message: Pick<MessageRow, 'id' | 'chatId' | 'seq'> & SentMessage & { key: string | null },
): Promise<MessageRow> {
  const { id, chatId, seq, role, content, toolCallId, key } = message;
  return only(
    await queryMessages(
      tx,
      `insert into chat_messages as m (id, chat_id, seq, role, content, tool_call_id, state, finished_at, idempotency_key)
       values ($1, $2, $3, $4, $5, $6, 'complete', now(), $7) returning ${messageColumns}`,
      [id, chatId, seq, role, content, toolCallId, key],
    ),
  );
}

/** The answer to the message sent under an `Idempotency-Key` while that counts; null: nothing like it was. */
export async function findAnswerUnder(
  tx: Sql,
  { chatId, key, content }: { chatId: string; key: string; content: string },
): Promise<MessageRow | null> {
  const [row] = await queryMessages(
    tx,
    `select ${messageColumns} from chat_messages sent join chat_messages m on m.chat_id = sent.chat_id and m.seq = sent.seq + 1
      where sent.chat_id = $1 and sent.idempotency_key = $2 and sent.content = $3
        and sent.created_at > now() - interval '24 hours' and m.role = 'assistant'
      order by sent.seq desc limit 1`,
    [chatId, key, content],
  );
  return row ?? null;
}

type AnswerRequest = { request: string; requestId: string };

/** Fails on `chat_messages_running` while another answer of the chat is being made. */
export async function insertAnswer(
  tx: Sql,
  { id, chatId, seq, request, requestId }: Pick<MessageRow, 'id' | 'chatId' | 'seq'> & AnswerRequest,
): Promise<MessageRow> {
  return only(
    await queryMessages(
      tx,
      `insert into chat_messages as m (id, chat_id, seq, role, state, request, request_id, lease_until)
       values ($1, $2, $3, 'assistant', 'queued', $4, $5, ${lease}) returning ${messageColumns}`,
      [id, chatId, seq, request, requestId],
    ),
  );
}

/**
 * Begins another attempt. A complete answer stays as it is until the new one begins. Fails on `chat_messages_running`
 * like `insertAnswer`.
 */
export async function beginAgain(tx: Sql, id: string, { request, requestId }: AnswerRequest): Promise<MessageRow> {
  return only(
    await queryMessages(
      tx,
      `update chat_messages m
          set is_spare = state = 'complete', state = 'queued', attempt = attempt + 1, starts = starts + 1, error = null,
              stop_requested = false, lease_until = ${lease},
              request = case when state = 'complete' then request else $2 end,
              request_id = case when state = 'complete' then request_id else $3 end
        where id = $1 returning ${messageColumns}`,
      [id, request, requestId],
    ),
  );
}

/** One try at an answer. `starts` tells apart what has the same number, `attempt` what a server of the version before has begun. */
export type AnswerKey = Pick<MessageRow, 'id' | 'attempt' | 'starts'>;

const isThisTry = 'id = $1 and attempt = $2 and starts = $3';
const tryOf = ({ id, attempt, starts }: AnswerKey) => [id, attempt, starts];

export type AnswerText = { content: string; reasoning: string | null; toolCalls: string | null };

const textOf = ({ content, reasoning, toolCalls }: AnswerText) => [content, reasoning, toolCalls];

/** Shows that the process lives; and, once the answer has begun, how far it is. Null: it is no longer this process's. */
export async function renewAnswer(
  sql: Sql,
  answer: AnswerKey,
  begun: (AnswerText & AnswerRequest & { modelRevision: number | null }) | null,
): Promise<{ stopRequested: boolean } | null> {
  const [row] = begun
    ? await sql.query<{ stopRequested: boolean }>(
        `update chat_messages
            set lease_until = ${lease}, state = 'streaming', is_spare = false, content = $4, reasoning = $5, tool_calls = $6, rating = null,
                request = case when request_id = $8 then request else $7 end, request_id = $8, model_revision = $9,
                finish_reason = null, usage = null, active_ms = 0, credits_micro = 0, finished_at = null
          where ${isThisTry} and lease_until is not null
         returning stop_requested as "stopRequested"`,
        [...tryOf(answer), ...textOf(begun), begun.request, begun.requestId, begun.modelRevision],
        { name: 'chats.renew_streaming' },
      )
    : await sql.query<{ stopRequested: boolean }>(
        `update chat_messages set lease_until = ${lease}
          where ${isThisTry} and lease_until is not null returning stop_requested as "stopRequested"`,
        tryOf(answer),
      );
  return row ?? null;
}

export type FinishedAnswer = AnswerText &
  AnswerRequest & {
    state: 'complete' | 'stopped';
    finishReason: string | null;
    usage: string;
    modelRevision: number | null;
    activeMs: number;
    creditsMicro: bigint;
  };

/** Ends an attempt with what it has come to, also when it was taken for dead meanwhile. Null: it is gone. */
export async function keepAnswer(tx: Sql, key: AnswerKey, answer: FinishedAnswer): Promise<MessageRow | null> {
  const [row] = await queryMessages(
    tx,
    `update chat_messages m
        set state = $4, rating = null, content = $5, reasoning = $6, tool_calls = $7, request = $8, request_id = $9, finish_reason = $10,
            usage = $11, model_revision = $12, active_ms = $13, credits_micro = $14, error = null, finished_at = now(),
            lease_until = null, is_spare = false
      where ${isThisTry} and (lease_until is not null or state = 'failed') returning ${messageColumns}`,
    [
      ...tryOf(key),
      answer.state,
      ...textOf(answer),
      answer.request,
      answer.requestId,
      answer.finishReason,
      answer.usage,
      answer.modelRevision,
      answer.activeMs,
      answer.creditsMicro,
    ],
  );
  return row ?? null;
}

/** An answer that has not begun gives its place back to the one that was there before. */
const orSpare = (state: string, error: string) => `lease_until = null, is_spare = false,
  attempt = case when is_spare then attempt - 1 else attempt end,
  state = case when is_spare then 'complete' else ${state} end,
  error = case when is_spare then null else ${error} end,
  finished_at = case when is_spare or ${state} = 'queued' then finished_at else now() end`;

/** Ends an attempt that made no answer; `text` is what there is of one; null: it never began. Null: it is no longer this process's. */
export async function endAnswer(
  sql: Sql,
  answer: AnswerKey,
  { state, error, text }: { state: MessageState; error: MessageError | null; text: AnswerText | null },
): Promise<MessageRow | null> {
  const { content = null, reasoning = null, toolCalls = null } = text ?? {};
  const [row] = await queryMessages(
    sql,
    `update chat_messages m
        set ${orSpare('$4', '$5::json')}, content = case when is_spare or $6::text is null then content else $6 end,
            reasoning = case when is_spare or $6::text is null then reasoning else $7 end,
            tool_calls = case when is_spare or $6::text is null then tool_calls else $8::json end
      where ${isThisTry} and lease_until is not null returning ${messageColumns}`,
    [...tryOf(answer), state, error && JSON.stringify(error), content, reasoning, toolCalls],
  );
  return row ?? null;
}

/** Ends answers whose processes are dead; of all chats or of one. What they had come to stays. */
export async function endLostAnswers(sql: Sql, error: MessageError, chatId: string | null): Promise<number> {
  const rows = await sql.query(
    `update chat_messages set ${orSpare(`'failed'`, '$1::json')}
      where lease_until < now() and ($2::text is null or chat_id = $2) returning id`,
    [JSON.stringify(error), chatId],
  );
  return rows.length;
}

/** Answers whose model was starting: nobody waits for them any more. */
export async function endWaitingAnswers(sql: Sql, how: { chatId: string } | { olderThanS: number }): Promise<void> {
  const ofChat = 'chatId' in how;
  await sql.query(
    `update chat_messages set state = 'failed', finished_at = now()
      where state = 'queued' and lease_until is null
        and ${ofChat ? 'chat_id = $1' : `created_at < now() - make_interval(secs => $1)`}`,
    [ofChat ? how.chatId : how.olderThanS],
  );
}

/** Asks the process that makes an answer to end it. False: none does. */
export async function requestStop(sql: Sql, id: string): Promise<boolean> {
  const rows = await sql.query(
    'update chat_messages set stop_requested = true where id = $1 and lease_until is not null returning id',
    [id],
  );
  return rows.length > 0;
}

/** An answer that waits for its model is not asked for any more. */
export async function stopWaiting(sql: Sql, id: string): Promise<void> {
  await sql.query(
    `update chat_messages set state = 'stopped', finished_at = now()
      where id = $1 and state = 'queued' and lease_until is null`,
    [id],
  );
}

export async function deleteMessagesFrom(tx: Sql, chatId: string, seq: number): Promise<void> {
  await tx.query('delete from chat_messages where chat_id = $1 and seq >= $2', [chatId, seq]);
}

export async function hasRunning(tx: Sql, chatId: string): Promise<boolean> {
  const rows = await tx.query('select from chat_messages where chat_id = $1 and lease_until is not null', [chatId]);
  return rows.length > 0;
}

function only(rows: MessageRow[]): MessageRow {
  const [row] = rows;
  if (!row) throw new Error('A message that was written is not there. This is a bug.');
  return row;
}
