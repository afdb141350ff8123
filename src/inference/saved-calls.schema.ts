import Type, { type Static } from 'typebox';
import { nullable, pageQuery, said, timestamp } from '#http';
import { fault, foldText } from '#kernel';
import type { SavedCallDetail, SavedCallFilter, SavedCallRow } from './saved-calls.store.ts';
import type { Retention } from './saved-calls-sweep.ts';

export const savedCallFilters = {
  model: Type.Optional(
    Type.String({ ...said('Only calls that named this model.', '只返回使用该模型名称的调用。'), maxLength: 200 }),
  ),
  finish_reason: Type.Optional(
    Type.Enum(
      ['stop', 'length', 'tool_calls'],
      said('Only calls whose answer ended so.', '只返回以此原因结束的调用。'),
    ),
  ),
  from: Type.Optional(
    Type.String({ ...said('Only calls from this time on.', '只返回此时间及之后的调用。'), format: 'date-time' }),
  ),
  to: Type.Optional(
    Type.String({ ...said('Only calls before this time.', '只返回此时间之前的调用。'), format: 'date-time' }),
  ),
  q: Type.Optional(
    Type.String({
      ...said(
        'Only calls in which this was said: looked for in the first 20,000 characters of messages and answer, whatever its case.',
        '只返回包含该文字的调用：在消息与回答的前 20,000 个字符中查找，不区分大小写。',
      ),
      minLength: 1,
      maxLength: 200,
    }),
  ),
};

export const savedCallsQuery = Type.Object({ ...pageQuery, ...savedCallFilters });

export const deleteSavedCallsQuery = Type.Object({
  ...savedCallFilters,
  all: Type.Optional(
    Type.Boolean(
      said(
        'Needed to delete without any filter: all saved calls of the project.',
        '不带任何筛选条件时必须为 true：删除该项目保存的全部调用。',
      ),
    ),
  ),
});

const count = (english: string, chinese: string) => Type.Integer({ ...said(english, chinese), minimum: 0 });

const rowFields = {
  id: Type.String(said('Id of the request.', '请求的 ID。')),
  key: nullable(
    Type.Object({
      id: Type.String(said('Id of the key.', '密钥的 ID。')),
      name: Type.String(said('Its name at that time.', '当时的名称。')),
    }),
    said('The API key of the call.', '该调用使用的 API 密钥。'),
  ),
  model_requested: Type.String(said('What the call named.', '调用时指定的模型名称。')),
  model_served: Type.String(said('The base model that answered.', '实际作答的基础模型。')),
  model_revision: nullable(
    Type.Integer(),
    said('Revision of the hosted model; null for a base model.', '托管模型的修订号；基础模型为 null。'),
  ),
  finish_reason: Type.Enum(['stop', 'length', 'tool_calls'], said('Why the answer ended.', '回答结束的原因。')),
  usage: Type.Object(
    {
      prompt_tokens: count('Tokens of the prompt.', '提示词的词元数。'),
      completion_tokens: count('Tokens of the answer.', '回答的词元数。'),
      total_tokens: count('Both together.', '两者之和。'),
      reasoning_tokens: count('Of the answer: tokens of reasoning.', '回答中用于推理的词元数。'),
      cached_tokens: count('Of the prompt: tokens that were cached.', '提示词中命中缓存的词元数。'),
    },
    said('What the model counted.', '模型统计的用量。'),
  ),
  active_ms: count('Active time of the call, ms.', '调用的活跃时间（毫秒）。'),
  prompt_preview: Type.String(said('Beginning of the last user message.', '最后一条用户消息的开头。')),
  answer_preview: Type.String(said('Beginning of the answer.', '回答的开头。')),
  created_at: timestamp(said('When it was saved.', '保存时间。')),
  expires_at: timestamp(said('When it will be gone.', '到期删除的时间。')),
};

export const savedCallSchema = Type.Object(rowFields, {
  $id: 'SavedCall',
  ...said('A saved call.', '一次已保存的调用。'),
});

const wireObject = Type.Object({}, { additionalProperties: true });

export const savedCallDetailSchema = Type.Object(
  {
    ...rowFields,
    messages: Type.Array(
      wireObject,
      said('The messages, in the shape of chat completions.', '消息列表，格式与对话补全接口一致。'),
    ),
    tools: Type.Array(wireObject, said('The tools that were sent.', '调用时提供的工具。')),
    params: Type.Object(
      {},
      said('The other fields of the call, with defaults filled in.', '调用的其余参数，已填入默认值。'),
    ),
    answer: Type.Object(
      {},
      said(
        'The assistant message that came back, with `reasoning_content` and `tool_calls` where there were any.',
        '模型返回的 assistant 消息，可能包含 `reasoning_content` 和 `tool_calls`。',
      ),
    ),
  },
  { $id: 'SavedCallDetail', ...said('A saved call with all that was said.', '一次已保存的调用及其完整内容。') },
);

type Filters = { [Name in Exclude<keyof typeof savedCallFilters, 'finish_reason'>]?: string } & {
  finish_reason?: SavedCallRow['finishReason'];
};

/** Reads the filters of a list or a deletion. */
export function filterOf(projectId: string, query: Filters, retention: Retention): SavedCallFilter {
  return {
    projectId,
    keptSince: retention.keptSince(),
    model: query.model ?? null,
    finishReason: query.finish_reason ?? null,
    from: timeOf('from', query.from),
    to: timeOf('to', query.to),
    search: query.q === undefined ? null : foldText(query.q).toWellFormed(),
  };
}

function timeOf(param: string, text: string | undefined): Date | null {
  if (text === undefined) return null;
  const time = new Date(text);
  if (Number.isNaN(time.getTime()))
    throw fault('invalid_request', { message: `${param}: expected an RFC 3339 time.`, param });
  return time;
}

export function savedCallToWire(row: SavedCallRow, retention: Retention): Static<typeof savedCallSchema> {
  return {
    id: row.requestId,
    key: row.keyId === null ? null : { id: row.keyId, name: row.keyName ?? row.keyId },
    model_requested: row.modelRequested,
    model_served: row.modelServed,
    model_revision: row.modelRevision,
    finish_reason: row.finishReason,
    usage: {
      prompt_tokens: row.promptTokens,
      completion_tokens: row.completionTokens,
      total_tokens: row.promptTokens + row.completionTokens,
      reasoning_tokens: row.reasoningTokens,
      cached_tokens: row.cachedTokens,
    },
    active_ms: Math.round(row.activeMs),
    prompt_preview: row.promptPreview,
    answer_preview: row.answerPreview,
    created_at: row.createdAt.toISOString(),
    expires_at: retention.expiresAt(row.createdAt).toISOString(),
  };
}

export function savedCallDetailToWire(call: SavedCallDetail, retention: Retention) {
  const { messages, tools, params, answer } = call;
  return { ...savedCallToWire(call, retention), messages, tools, params, answer };
}
