import assert from 'node:assert/strict';
import type { Llama, LlamaGrammar } from 'node-llama-cpp';
import { Fault } from '#kernel';
import type { ChatPrompt } from '../port.ts';
import { formats } from './formats/formats.fixture.ts';
import type { OutputFormat } from './formats/output-format.ts';
import { type Lead, promptGrammars } from './grammar.ts';
import { chatPrompt } from './prompt.fixture.ts';

export type GrammarOptions = { format: OutputFormat; lead: Lead };

export const bare: GrammarOptions = { format: formats.json, lead: 'nothing' };

export type Accepts = (text: string) => boolean;

/** The grammar that holds an output from its beginning; null where nothing constrains it. */
export function promptGrammar(prompt: ChatPrompt, { format, lead } = bare): string | null {
  return promptGrammars(prompt, format)?.(lead) ?? null;
}

/** Runs whole texts through llama.cpp's own grammar parser. */
export async function promptMatcher(llama: Llama, prompt: Partial<ChatPrompt>, options = bare): Promise<Accepts> {
  const grammar = promptGrammar(chatPrompt(prompt), options);
  assert.ok(grammar !== null);
  assert.equal(grammar, promptGrammar(chatPrompt(prompt), options), 'the same prompt gives the same grammar');
  return textMatcher(llama, grammar);
}

export async function textMatcher(llama: Llama, grammar: string): Promise<Accepts> {
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

/** The words in which a schema of an answer is refused; empty: it is not. */
export function refusal(schema: unknown): string {
  try {
    // What callers send is checked here, whatever it is.
    const format = { type: 'json_schema', schema: schema as Record<string, unknown> } as const;
    promptGrammar(chatPrompt({ responseFormat: format }));
  } catch (error) {
    assert.ok(error instanceof Fault, String(error));
    assert.deepEqual([error.fault, error.options.param], ['invalid_request', 'response_format']);
    return error.message;
  }
  return '';
}
