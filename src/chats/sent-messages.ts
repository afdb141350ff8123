import type { Sql } from '#db';
import { fault, isFields } from '#kernel';
import { checkStorable } from './chats.ts';
import type { ImageData } from './images.store.ts';
import { readImages } from './images.ts';
import { listHistory } from './messages.store.ts';
import type { SentMessage } from './turns.store.ts';

export type ChatToolResult = { tool_call_id: string; content: string };

/** What a request adds to a chat: a message of the user, in place of an earlier one or not, or the results of tools. */
export type NewMessage =
  /** `images`: null where a message in its place keeps those that it has. */
  { content: string; images: ImageData[] | null; replaceId: string | null } | { results: readonly ChatToolResult[] };

type MessageBody = {
  content?: string;
  images?: string[];
  tool_results?: ChatToolResult[];
  replace_message_id?: string;
};

/** Throws `invalid_request`. */
export function readNewMessage({
  content,
  images,
  tool_results: results,
  replace_message_id: replaceId,
}: MessageBody): NewMessage {
  if (results === undefined) {
    if (content === undefined && !images) throw refused('content', 'missing; send it, or images, or tool_results');
    const text = checkStorable(content ?? '', 'content');
    return { content: text, images: images ? readImages(images) : null, replaceId: replaceId ?? null };
  }
  if (images !== undefined) throw refused('images', 'goes with content only, not with tool_results');
  if (content !== undefined) throw refused('tool_results', 'send content or this, not both');
  if (replaceId !== undefined) throw refused('replace_message_id', 'goes with content only, not with tool_results');
  for (const [index, result] of results.entries()) checkStorable(result.content, `tool_results[${index}].content`);
  return { results };
}

export function messagesOf(added: NewMessage): SentMessage[] {
  if ('content' in added) return [{ role: 'user', content: added.content, toolCallId: null }];
  return added.results.map(({ tool_call_id, content }) => ({ role: 'tool', content, toolCallId: tool_call_id }));
}

/** Each call of the last answer must have one result. Throws `state_conflict`, `invalid_request`. */
export async function checkResults(
  tx: Sql,
  chat: { id: string; lastSeq: number },
  results: readonly ChatToolResult[],
): Promise<void> {
  const last = (await listHistory(tx, chat.id, chat.lastSeq + 1)).at(-1);
  const calls = last?.role === 'assistant' ? (last.toolCalls ?? []) : [];
  if (calls.length === 0)
    throw fault('state_conflict', {
      message: 'The last message of this chat calls no tools, so there is nothing to answer. Send content.',
      details: { reason: 'no_tool_calls' },
    });
  const ids = calls.map((call) => (isFields(call) ? String(call.id) : ''));
  const sent = results.map(({ tool_call_id: id }) => id);
  const unknown = sent.find((id, index) => !ids.includes(id) || sent.indexOf(id) !== index);
  if (unknown !== undefined)
    throw refused('tool_results', `${JSON.stringify(unknown)} is not a call of the last answer, or is there twice`);
  const missing = ids.find((id) => !sent.includes(id));
  if (missing !== undefined) throw refused('tool_results', `the call ${JSON.stringify(missing)} has no result`);
}

function refused(param: string, reason: string) {
  return fault('invalid_request', { message: `${param}: ${reason}.`, param });
}
