import type { Schemas } from '../../api/generated/contract.ts';
import type { Chat } from './playground-queries.ts';
import type { Tool } from './tools.ts';

type BaseModel = Schemas['BaseModel'];

export type Effort = 'none' | 'low' | 'high';

export type ChatSettings = {
  model: string;
  systemPrompt: string;
  params: {
    max_tokens: number;
    temperature: number;
    top_p: number;
    reasoning_effort: Effort | null;
    tools: Tool[] | null;
  };
};

/** A callable model with its base model. */
export type Choice = { kind: 'hosted' | 'trained' | 'base'; id: string; label: string; base: BaseModel };

/** The defaults of the API, as for requests that set nothing. */
export function defaultParams({ inference }: BaseModel): ChatSettings['params'] {
  const { max_tokens, temperature, top_p, reasoning_effort } = inference.defaults;
  return { max_tokens, temperature, top_p, reasoning_effort, tools: null };
}

export function startWith(choice: Choice): ChatSettings {
  return { model: choice.id, systemPrompt: '', params: defaultParams(choice.base) };
}

export function settingsOf(chat: Chat, fallback: ChatSettings): ChatSettings {
  // as: the server has validated them.
  const tools = chat.params.tools as Tool[] | null;
  return {
    model: chat.model ?? fallback.model,
    systemPrompt: chat.system_prompt ?? '',
    params: { ...chat.params, tools },
  };
}
