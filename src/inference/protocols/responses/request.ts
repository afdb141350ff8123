import type { ReasoningEffort, ResponseFormat } from '#engine';
import { readBody } from '#http';
import type { TextSeal } from '#kernel';
import { chatDefaults } from '#models';
import type { TextRequest } from '../../model-request.ts';
import { refuse } from '../openai/refuse.ts';
import { additionalTools } from './additional-tools.ts';
import { messagesOf } from './conversation.ts';
import { asReadItem, type InputItem, isReference } from './input-items.schema.ts';
import {
  countRequestSchema,
  type InputTokensBody,
  type ResponsesBody,
  responsesRequestSchema,
} from './request.schema.ts';
import { readToolChoice } from './tool-choice.ts';
import { readTools, type UsedTools } from './tools.ts';

/** The input of a request: what was sent with it, and what stands for what was stored. */
export type ResponsesInput = {
  items: readonly InputItem[];
  previousId: string | null;
  instructions: string | null;
  tools: UsedTools;
};

export type ResponsesRequest = TextRequest & {
  input: ResponsesInput;
  wantsStored: boolean;
  /** Reasoning comes with its sealed text. */
  wantsSealed: boolean;
  /** Reasoning comes as summary. */
  wantsSummary: boolean;
  /** Settings that the response repeats. */
  settings: Record<string, unknown>;
};

/** What is counted of a request. */
export type CountRequest = Pick<TextRequest, 'model' | 'prompt'> & { input: ResponsesInput };

/** Reads the body of P/responses. Unknown fields are ignored; known ones that ask for what we cannot do are refused. */
export function readResponsesRequest(sent: unknown, seal: TextSeal): ResponsesRequest {
  const body = readBody(responsesRequestSchema, sent);
  const { input, prompt, choice } = readPrompt(body, seal);
  const sampling = readSampling(body);
  const include = body.include ?? [];
  if (include.includes('message.output_text.logprobs'))
    throw refuse('include', 'log probabilities are not supported here; use chat completions');
  const summary = body.reasoning?.summary ?? body.reasoning?.generate_summary ?? null;
  return {
    model: body.model,
    input,
    prompt,
    sampling,
    stream: body.stream ?? false,
    dropsOldestTurns: body.truncation === 'auto',
    wantsStored: body.store ?? true,
    wantsSealed: include.includes('reasoning.encrypted_content'),
    wantsSummary: summary !== null && summary !== 'none',
    settings: {
      background: false,
      instructions: input.instructions,
      max_output_tokens: sampling.maxTokens,
      max_tool_calls: body.max_tool_calls ?? null,
      parallel_tool_calls: prompt.parallelToolCalls,
      previous_response_id: input.previousId,
      prompt_cache_key: body.prompt_cache_key ?? null,
      reasoning: { effort: body.reasoning?.effort ?? null, summary },
      safety_identifier: body.safety_identifier ?? null,
      service_tier: 'default',
      temperature: sampling.temperature,
      text: { format: shownFormat(body), verbosity: body.text?.verbosity ?? 'medium' },
      tool_choice: choice,
      tools: input.tools.shown,
      top_logprobs: 0,
      top_p: sampling.topP,
      truncation: body.truncation ?? 'disabled',
      user: body.user ?? null,
      metadata: body.metadata ?? {},
    },
  };
}

/** Reads the body of P/responses/input_tokens. */
export function readCountRequest(sent: unknown, seal: TextSeal): CountRequest {
  const body = readBody(countRequestSchema, sent);
  const { input, prompt } = readPrompt(body, seal);
  return { model: body.model, input, prompt };
}

function readPrompt(body: InputTokensBody, seal: TextSeal) {
  const items = readInput(body);
  const sent = body.tools ?? [];
  const all = [...sent, ...additionalTools(items, sent)];
  const tools = readTools(all);
  const { choice, offered, shown } = readToolChoice(body.tool_choice ?? 'auto', all, tools);
  const input: ResponsesInput = {
    items,
    previousId: body.previous_response_id ?? null,
    instructions: body.instructions || null,
    tools,
  };
  const prompt: TextRequest['prompt'] = {
    messages: messagesFor(input, { items: input.items, seal }),
    tools: offered.map(({ definition }) => definition),
    toolChoice: choice,
    parallelToolCalls: body.parallel_tool_calls ?? true,
    responseFormat: readFormat(body),
    reasoningEffort: readEffort(body),
    effortIsHint: true,
  };
  return { input, prompt, choice: shown };
}

/** The instructions and what these items stand for. */
export function messagesFor(
  { instructions, tools }: ResponsesInput,
  { items, seal }: { items: readonly InputItem[]; seal: TextSeal },
): TextRequest['prompt']['messages'] {
  const messages = messagesOf(items, { tools, seal });
  // Instructions are those of this call only: clients send them with every one.
  return instructions === null ? messages : [{ role: 'system', content: instructions }, ...messages];
}

function readInput({ input, previous_response_id: previous }: InputTokensBody): readonly InputItem[] {
  const items = typeof input === 'string' ? [userMessage(input)] : (input ?? []);
  if (previous != null) return items;
  if (items.length === 0) throw refuse('input', 'expected text or a list with at least one item');
  const isRead = (item: InputItem) => isReference(item) || (asReadItem(item)?.type ?? 'reasoning') !== 'reasoning';
  if (!items.some(isRead)) throw refuse('input', 'expected at least one message, call or output of a call');
  return items;
}

const userMessage = (text: string): InputItem => ({
  type: 'message',
  role: 'user',
  content: [{ type: 'input_text', text }],
});

function readSampling(body: ResponsesBody): TextRequest['sampling'] {
  return {
    maxTokens: body.max_output_tokens ?? null,
    temperature: body.temperature ?? chatDefaults.temperature,
    topP: body.top_p ?? chatDefaults.top_p,
    presencePenalty: 0,
    frequencyPenalty: 0,
    seed: null,
    stop: [],
  };
}

function readFormat({ text }: InputTokensBody): ResponseFormat {
  const format = text?.format;
  if (format?.type !== 'json_schema') return { type: format?.type ?? 'text' };
  return format.schema ? { type: 'json_schema', schema: format.schema } : { type: 'json_object' };
}

function shownFormat({ text }: InputTokensBody): object {
  const format = text?.format;
  if (format?.type !== 'json_schema') return { type: format?.type ?? 'text' };
  const { name, description, schema, strict } = format;
  return {
    type: 'json_schema',
    name: name ?? 'response',
    description: description ?? null,
    schema: schema ?? { type: 'object' },
    strict: strict !== false,
  };
}

/** The nearest of those that the engine knows: `minimal` is little, and from `medium` on nothing is shortened. */
function readEffort({ reasoning }: InputTokensBody): ReasoningEffort {
  switch (reasoning?.effort) {
    case 'none':
      return 'none';
    case 'minimal':
    case 'low':
      return 'low';
    case 'medium':
    case 'high':
    case 'xhigh':
    case 'max':
      return 'high';
    default:
      return null;
  }
}
