import type { Schemas } from '../../api/generated/contract.ts';
import type { Chat } from './playground-queries.ts';
import { readList } from './read-list.ts';

type BaseModel = Schemas['BaseModel'];

export type Effort = 'none' | 'low' | 'high';
export type Tool = {
  type: 'function';
  function: { name: string; description?: string | null; parameters?: Record<string, unknown> | null };
};

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

/** A model that can be called here, with the base model that answers. */
export type Choice = { kind: 'hosted' | 'trained' | 'base'; id: string; label: string; base: BaseModel };

/** What the interface publishes as its defaults: the same request as a program makes that says nothing of these. */
export function defaultParams({ inference }: BaseModel): ChatSettings['params'] {
  const { max_tokens, temperature, top_p, reasoning_effort } = inference.defaults;
  return { max_tokens, temperature, top_p, reasoning_effort, tools: null };
}

export function startWith(choice: Choice): ChatSettings {
  return { model: choice.id, systemPrompt: '', params: defaultParams(choice.base) };
}

export function settingsOf(chat: Chat, fallback: ChatSettings): ChatSettings {
  // as: the server has read them in this shape.
  const tools = chat.params.tools as Tool[] | null;
  return {
    model: chat.model ?? fallback.model,
    systemPrompt: chat.system_prompt ?? '',
    params: { ...chat.params, tools },
  };
}

/** Reads tools that somebody has typed. Throws as `readList` does. */
export function readTools(text: string): Tool[] | null {
  // as: what is wrong with the tools themselves is told by the server.
  return readList(text) as Tool[] | null;
}
