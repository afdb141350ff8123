import assert from 'node:assert/strict';
import type { ToolDefinition } from '../port.ts';
import { formats } from './formats/formats.fixture.ts';
import { OutputParser, type OutputParserOptions } from './output-parser.ts';

export const weather: ToolDefinition = {
  name: 'get_weather',
  description: null,
  parameters: {
    type: 'object',
    properties: {
      city: { type: 'string' },
      days: { type: 'integer' },
      tags: { anyOf: [{ type: 'array' }, { type: 'null' }] },
    },
  },
};
export const clock: ToolDefinition = { name: 'clock', description: null, parameters: null };

export type Setup = Partial<OutputParserOptions> & { cause?: 'eog' | 'length' };
export type ParsedOutput = {
  reasoning: string;
  content: string;
  calls: { name: string; arguments: string }[];
  reason: string;
  stopText: string | null;
};

function parse(pieces: readonly string[], setup: Setup) {
  const parser = new OutputParser({
    startsInReasoning: false,
    tools: [weather, clock],
    format: formats.json,
    parallelToolCalls: true,
    stop: [],
    ...setup,
  });
  const deltas = pieces.flatMap((piece) => parser.push(piece, 1));
  deltas.push(...parser.end(setup.cause ?? 'eog'));
  return { deltas, reason: parser.reason, stopText: parser.stopText };
}

export function run(pieces: readonly string[], setup: Setup = {}): ParsedOutput {
  const { deltas, ...end } = parse(pieces, setup);
  const result: ParsedOutput = { reasoning: '', content: '', calls: [], ...end };
  for (const delta of deltas) {
    if (delta.type === 'tool_call') {
      assert.equal(delta.index, result.calls.length);
      assert.doesNotThrow(() => JSON.parse(delta.arguments));
      result.calls.push({ name: delta.name, arguments: delta.arguments });
      continue;
    }
    assert.notEqual(delta.text, '', 'no empty delta');
    assert.ok(delta.text.isWellFormed(), 'no half of a character');
    result[delta.type] += delta.text;
  }
  return result;
}

/** What an answer says before, between and behind its calls. */
export function contentAroundCalls(output: string, setup: Setup): string[] {
  const texts = [''];
  for (const delta of parse([output], setup).deltas) {
    if (delta.type === 'tool_call') texts.push('');
    else if (delta.type === 'content') texts.push(texts.pop() + delta.text);
  }
  return texts;
}

export const empty: ParsedOutput = { reasoning: '', content: '', calls: [], reason: 'stop', stopText: null };
