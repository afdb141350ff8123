import type { Schemas } from '../../api/generated/contract.ts';
import type { Chat } from './playground-queries.ts';
import type { Tool } from './tools.ts';

type BaseModel = Schemas['BaseModel'];

export type Effort = 'none' | 'low' | 'high';

export type AnswerFormat =
  | { type: 'text' | 'json_object' }
  | { type: 'json_schema'; json_schema: { name?: string; schema?: Record<string, unknown> | null } };

export type ChatSettings = {
  model: string;
  systemPrompt: string;
  params: {
    max_tokens: number;
    temperature: number;
    top_p: number;
    reasoning_effort: Effort | null;
    tools: Tool[] | null;
    response_format: AnswerFormat | null;
    /** Null: as the model likes. */
    top_k: number | null;
    seed: number | null;
    stop: string[];
    presence_penalty: number;
    frequency_penalty: number;
  };
};

/** A callable model with its base model. */
export type Choice = {
  kind: 'hosted' | 'trained' | 'shared' | 'base';
  id: string;
  label: string;
  base: BaseModel;
  /** How a model of another project is called. */
  elsewhere?: { baseUrl: string; model: string };
};

/** The defaults of the API, as for requests that set nothing. */
export function defaultParams({ inference }: BaseModel): ChatSettings['params'] {
  const { max_tokens, temperature, top_p, reasoning_effort } = inference.defaults;
  const asItIs = { tools: null, response_format: null, top_k: null, seed: null, stop: [] };
  return { max_tokens, temperature, top_p, reasoning_effort, presence_penalty: 0, frequency_penalty: 0, ...asItIs };
}

export function startWith(choice: Choice): ChatSettings {
  return { model: choice.id, systemPrompt: '', params: defaultParams(choice.base) };
}

export function settingsOf(chat: Chat, fallback: ChatSettings): ChatSettings {
  // as: the server has validated them.
  const tools = chat.params.tools as Tool[] | null;
  const response_format = chat.params.response_format as AnswerFormat | null;
  return {
    model: chat.model ?? fallback.model,
    systemPrompt: chat.system_prompt ?? '',
    params: { ...chat.params, tools, response_format },
  };
}
