import Type, { type Static } from 'typebox';
import { nullable, pageQuery, timestamp } from '#http';
import { fault, foldText } from '#kernel';
import type { SavedCallDetail, SavedCallFilter, SavedCallRow } from './saved-calls.store.ts';
import type { Retention } from './saved-calls-sweep.ts';

export const savedCallFilters = {
  model: Type.Optional(Type.String({ description: 'Only calls that named this model.', maxLength: 200 })),
  finish_reason: Type.Optional(
    Type.Enum(['stop', 'length', 'tool_calls'], { description: 'Only calls whose answer ended so.' }),
  ),
  from: Type.Optional(Type.String({ description: 'Only calls from this time on.', format: 'date-time' })),
  to: Type.Optional(Type.String({ description: 'Only calls before this time.', format: 'date-time' })),
  q: Type.Optional(
    Type.String({
      description:
        'Only calls in which this was said: looked for in the first 20,000 characters of messages and answer, whatever its case.',
      minLength: 1,
      maxLength: 200,
    }),
  ),
};

export const savedCallsQuery = Type.Object({
  ...pageQuery,
  ...savedCallFilters,
  request_id: Type.Optional(Type.String({ description: 'Only the call of this request.', maxLength: 64 })),
});

export const deleteSavedCallsQuery = Type.Object({
  ...savedCallFilters,
  all: Type.Optional(
    Type.Boolean({ description: 'Needed to delete without any filter: all saved calls of the project.' }),
  ),
});

const count = (description: string) => Type.Integer({ description, minimum: 0 });

const rowFields = {
  id: Type.String({ description: 'Id of the request.' }),
  key: nullable(
    Type.Object({
      id: Type.String({ description: 'Id of the key.' }),
      name: Type.String({ description: 'Its name at that time.' }),
    }),
    'The API key of the call.',
  ),
  model_requested: Type.String({ description: 'What the call named.' }),
  model_served: Type.String({ description: 'The base model that answered.' }),
  model_revision: nullable(Type.Integer(), 'Revision of the hosted model; null for a base model.'),
  finish_reason: Type.Enum(['stop', 'length', 'tool_calls'], { description: 'Why the answer ended.' }),
  usage: Type.Object(
    {
      prompt_tokens: count('Tokens of the prompt.'),
      completion_tokens: count('Tokens of the answer.'),
      total_tokens: count('Both together.'),
      reasoning_tokens: count('Of the answer: tokens of reasoning.'),
      cached_tokens: count('Of the prompt: tokens that were cached.'),
    },
    { description: 'What the model counted.' },
  ),
  active_ms: count('Active time of the call, ms.'),
  prompt_preview: Type.String({ description: 'Beginning of the last user message.' }),
  answer_preview: Type.String({ description: 'Beginning of the answer.' }),
  created_at: timestamp('When it was saved.'),
  expires_at: timestamp('When it will be gone.'),
};

export const savedCallSchema = Type.Object(rowFields, {
  $id: 'SavedCall',
  description: 'A saved call.',
});

const wireObject = Type.Object({}, { additionalProperties: true });

export const savedCallDetailSchema = Type.Object(
  {
    ...rowFields,
    messages: Type.Array(wireObject, { description: 'The messages, in the shape of chat completions.' }),
    tools: Type.Array(wireObject, { description: 'The tools that were sent.' }),
    params: Type.Object({}, { description: 'The other fields of the call, with defaults filled in.' }),
    answer: Type.Object(
      {},
      {
        description:
          'The assistant message that came back, with `reasoning_content` and `tool_calls` where there were any.',
      },
    ),
  },
  { $id: 'SavedCallDetail', description: 'A saved call with all that was said.' },
);

type Filters = { [Name in Exclude<keyof typeof savedCallFilters, 'finish_reason'>]?: string } & {
  finish_reason?: SavedCallRow['finishReason'];
  request_id?: string;
};

/** Reads the filters of a list or a deletion. */
export function filterOf(projectId: string, query: Filters, retention: Retention): SavedCallFilter {
  return {
    projectId,
    keptSince: retention.keptSince(),
    requestId: query.request_id ?? null,
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
