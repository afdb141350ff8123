import type { ReasoningEffort, ResponseFormat } from '#engine';
import { type Fields, isFields } from '#kernel';
import type { TextRequest } from '../../model-request.ts';
import { acceptOnly, given, readBoolean, readModel, readObject, readWord, refuse } from '../openai/fields.ts';
import { readSampling } from '../openai/sampling.ts';
import { readMessages } from './chat-messages.ts';
import { readToolChoice, readTools } from './chat-tools.ts';

export type ChatRequest = TextRequest & { includeUsage: boolean };

/** Reads the body of P/chat/completions. Unknown fields are ignored; known ones that ask for what we cannot do are refused. */
export function readChatRequest(body: unknown): ChatRequest {
  const fields = readObject(body);
  const model = readModel(fields);
  const messages = readMessages(fields);
  refuseUnsupported(fields);
  const tools = readTools(fields);
  const stream = readBoolean(fields, 'stream', false);
  return {
    model,
    prompt: {
      messages,
      tools,
      toolChoice: readToolChoice(fields, tools),
      parallelToolCalls: readBoolean(fields, 'parallel_tool_calls', true),
      responseFormat: readResponseFormat(fields),
      reasoningEffort: readReasoningEffort(fields),
    },
    sampling: readSampling(fields),
    stream,
    includeUsage: stream && readIncludeUsage(fields),
  };
}

/** Omitted and null mean that nothing is sent to the model, which is not the same as `none`. */
export function readReasoningEffort(fields: Fields): ReasoningEffort {
  return readWord(fields, 'reasoning_effort', ['none', 'low', 'high'] as const) ?? null;
}

function readIncludeUsage(fields: Fields): boolean {
  const options = given(fields, 'stream_options');
  if (options === undefined) return false;
  if (!isFields(options)) throw refuse('stream_options', 'expected an object');
  const value = options.include_usage ?? false;
  if (typeof value !== 'boolean') throw refuse('stream_options.include_usage', 'expected true or false');
  return value;
}

function readResponseFormat(fields: Fields): ResponseFormat {
  const value = given(fields, 'response_format');
  if (value === undefined) return { type: 'text' };
  if (!isFields(value)) throw refuse('response_format', 'expected an object');
  switch (value.type) {
    case 'text':
    case 'json_object':
      return { type: value.type };
    case 'json_schema': {
      const wrapper = value.json_schema;
      if (!isFields(wrapper)) throw refuse('response_format.json_schema', 'expected an object');
      // OpenAI lets the schema be absent; then any JSON object fits.
      if (wrapper.schema === undefined || wrapper.schema === null) return { type: 'json_object' };
      if (!isFields(wrapper.schema))
        throw refuse('response_format.json_schema.schema', 'expected a JSON schema object');
      return { type: 'json_schema', schema: wrapper.schema };
    }
    default:
      throw refuse('response_format.type', 'expected "text", "json_object" or "json_schema"');
  }
}

function refuseUnsupported(fields: Fields): void {
  const never = () => false;
  acceptOnly(fields, 'functions', never, 'functions are deprecated, use tools');
  acceptOnly(fields, 'function_call', never, 'functions are deprecated, use tools');
  acceptOnly(fields, 'logprobs', (value) => value === false, 'not supported');
  acceptOnly(fields, 'top_logprobs', (value) => value === 0, 'not supported');
  acceptOnly(fields, 'audio', never, 'not supported');
  acceptOnly(fields, 'web_search_options', never, 'not supported');
  acceptOnly(fields, 'moderation', never, 'not supported');
  acceptOnly(fields, 'modalities', isTextOnly, 'only ["text"] is supported');
}

function isTextOnly(value: unknown): boolean {
  return Array.isArray(value) && value.length === 1 && value[0] === 'text';
}
