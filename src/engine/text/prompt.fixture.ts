import { readFileSync } from 'node:fs';
import type { ChatMessage, ChatPrompt } from '../port.ts';
import { type ChatTemplate, compileChatTemplate } from './template.ts';

export const controlTokens = ['<|endoftext|>', '<|im_start|>', '<|im_end|>'];

export function user(content: string): ChatMessage {
  return { role: 'user', content };
}

export function system(content: string): ChatMessage {
  return { role: 'system', content };
}

export function assistant(content: string): ChatMessage {
  return { role: 'assistant', content, reasoning: null, toolCalls: [] };
}

export function chatPrompt(change: Partial<ChatPrompt>): ChatPrompt {
  return {
    target: { baseModelId: 'fixture', adapter: null },
    messages: [user('Hello')],
    tools: [],
    toolChoice: { mode: 'auto' },
    parallelToolCalls: true,
    responseFormat: { type: 'text' },
    reasoningEffort: null,
    ...change,
  };
}

/** The template that the tiny chat model ships with. */
export function qwen3Template(): string {
  return readFileSync(new URL('../../../models/tiny-chat/hf/chat_template.jinja', import.meta.url), 'utf8');
}

export function template(source: string, tokens: readonly string[] = controlTokens): ChatTemplate {
  return compileChatTemplate({
    source,
    controlTokens: tokens,
    bosToken: '<s>',
    eosToken: '<|im_end|>',
    now: () => new Date(Date.UTC(2026, 1, 3, 4, 5, 6)),
  });
}
