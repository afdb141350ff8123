import { readChatRequest } from '#inference';
import { Fault, fault } from '#kernel';
import { chatDefaults } from '#models';

/** How answers are made; what is absent or null has the default of the catalogue. */
export type ChatParams = {
  max_tokens?: number | null;
  temperature?: number | null;
  top_p?: number | null;
  reasoning_effort?: 'none' | 'low' | 'high' | null;
  tools?: readonly unknown[] | null;
  response_format?: unknown;
  top_k?: number | null;
  seed?: number | null;
  stop?: string | string[] | null;
  presence_penalty?: number | null;
  frequency_penalty?: number | null;
};

/** With the defaults of the catalogue. Null for the effort: nothing is sent, the model does as it likes. */
export type ResolvedParams = {
  max_tokens: number;
  temperature: number;
  top_p: number;
  reasoning_effort: 'none' | 'low' | 'high' | null;
  tools: readonly unknown[] | null;
  /** Null: any text. */
  response_format: unknown;
  top_k: number | null;
  seed: number | null;
  stop: string[];
  presence_penalty: number;
  frequency_penalty: number;
};

export function resolveParams(...layers: readonly ChatParams[]): ResolvedParams {
  const given: ChatParams = Object.assign({}, ...layers);
  return {
    max_tokens: given.max_tokens ?? chatDefaults.max_tokens,
    temperature: given.temperature ?? chatDefaults.temperature,
    top_p: given.top_p ?? chatDefaults.top_p,
    reasoning_effort: given.reasoning_effort ?? null,
    tools: given.tools && given.tools.length > 0 ? given.tools : null,
    response_format: given.response_format ?? null,
    top_k: given.top_k ?? null,
    seed: given.seed ?? null,
    stop: [given.stop ?? []].flat(),
    presence_penalty: given.presence_penalty ?? 0,
    frequency_penalty: given.frequency_penalty ?? 0,
  };
}

const paramNames = [
  ...(['max_tokens', 'temperature', 'top_p', 'reasoning_effort', 'tools', 'response_format'] as const),
  ...(['top_k', 'seed', 'stop', 'presence_penalty', 'frequency_penalty'] as const),
];

/** Only the fields that we know, and those as they were sent. Throws `invalid_request` for what no call may have. */
export function readParams(sent: ChatParams | undefined): ChatParams {
  if (!sent) return {};
  const params: ChatParams = Object.fromEntries(
    paramNames.flatMap((name) => (sent[name] === undefined ? [] : [[name, sent[name]]])),
  );
  try {
    readChatRequest({ ...params, model: 'any', messages: [{ role: 'user', content: 'any' }] });
  } catch (error) {
    if (!(error instanceof Fault) || !error.options.param) throw error;
    throw fault('invalid_request', { message: `params.${error.message}`, param: `params.${error.options.param}` });
  }
  return params;
}
