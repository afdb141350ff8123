import { readBody } from '#http';
import type { Tokenizable } from '../../protocol.ts';
import { readChatRequest } from '../chat-completions/chat-request.ts';
import { refuse } from '../openai/refuse.ts';
import { detokenizeRequestSchema, tokenizeRequestSchema } from './tokens.contract.ts';

/** Reads the body of P/tokenize: a text, or a conversation as a chat takes it. Unknown fields are ignored. */
export function readTokenizeRequest(sent: unknown): Tokenizable {
  const body = readBody(tokenizeRequestSchema, sent);
  const { model, prompt: text, messages, tools, tool_choice, reasoning_effort } = body;
  if (messages == null) {
    if (text == null) throw refuse('prompt', 'send a text as prompt, or messages');
    return { model, text, addSpecialTokens: body.add_special_tokens ?? true };
  }
  if (text != null) throw refuse('prompt', 'send prompt or messages, not both');
  const { prompt } = readChatRequest({ model, messages, tools, tool_choice, reasoning_effort });
  return { model, prompt: { ...prompt, addsGenerationPrompt: body.add_generation_prompt ?? true } };
}

export const readDetokenizeRequest = (sent: unknown) => readBody(detokenizeRequestSchema, sent);
