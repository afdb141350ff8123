import assert from 'node:assert/strict';
import type { Llama, LlamaGrammar } from 'node-llama-cpp';
import type { ChatPrompt } from '../port.ts';
import { type GrammarOptions, promptGrammar } from './grammar.ts';
import { chatPrompt } from './prompt.fixture.ts';

export const bare: GrammarOptions = { toolSyntax: 'json', lead: 'nothing' };

export type Accepts = (text: string) => boolean;

/** Runs whole texts through llama.cpp's own grammar parser. */
export async function promptMatcher(llama: Llama, prompt: Partial<ChatPrompt>, options = bare): Promise<Accepts> {
  const grammar = promptGrammar(chatPrompt(prompt), options);
  assert.ok(grammar !== null);
  assert.equal(grammar, promptGrammar(chatPrompt(prompt), options), 'the same prompt gives the same grammar');
  // The method that runs text through llama.cpp's parser is left out of the published types.
  const compiled = (await llama.createGrammar({ grammar })) as LlamaGrammar & { _testText: Accepts };
  return (text) => compiled._testText(text);
}

/** As Python writes JSON. */
export function spaced(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spaced).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([key, item]) => `${JSON.stringify(key)}: ${spaced(item)}`)
    .join(', ')}}`;
}
