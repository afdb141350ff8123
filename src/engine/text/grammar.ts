import { Fault, fault } from '#kernel';
import type { ChatPrompt, ResponseFormat, ToolDefinition } from '../port.ts';
import { bindOutputFormat, type OutputFormat, type OutputFormatSpec } from './formats/output-format.ts';
import {
  anyOf,
  createGrammar,
  type Expression,
  type Grammar,
  literal,
  optional,
  sequence,
  textWithout,
} from './gbnf.ts';
import { anyObject } from './json-rules.ts';
import { schemaExpression } from './schema-grammar.ts';

export type GrammarInput = Pick<ChatPrompt, 'responseFormat' | 'toolChoice' | 'tools' | 'parallelToolCalls'>;

/** What may stand in front of the constrained text: nothing, or up to two newlines (switched on right behind `</think>`). */
export type Lead = 'nothing' | 'newlines';

/** Calls in one answer where any number is allowed: a model must not be able to go on forever. */
const maxCalls = 32;

/**
 * GBNF text that the output must match, start rule `root`, behind either lead; null where nothing constrains it. Throws
 * `invalid_request` (`response_format`) for a schema that cannot be enforced exactly.
 */
export function promptGrammars(prompt: GrammarInput, format: OutputFormat): ((lead: Lead) => string) | null {
  const grammar = createGrammar();
  const { answerOpening } = format;
  const before = answerOpening === '' ? '' : optional(literal(answerOpening));
  const answerExpressions = answer(grammar, prompt).map((expression) => sequence(before, expression));
  const alternatives = [...answerExpressions, ...calls(grammar, prompt, format)];
  if (alternatives.length === 0) return null;
  const answers = anyOf(alternatives);
  return (lead) => grammar.text(lead === 'nothing' ? answers : sequence('"\\n"{0,2}', answers));
}

/**
 * GBNF text for a free answer in which the model may call as it likes: any text, and from each opening on a call of one
 * of the tools, the arguments of the strict ones by their schemas. null where no tool is strict, or where all of the output is
 * constrained anyway.
 */
export function freeCallGrammar(prompt: GrammarInput, format: OutputFormat): string | null {
  if (!hasFreeStrictCalls(prompt) || format.calls.startsAnswer) return null;
  const grammar = createGrammar();
  return grammar.text(freeText(grammar, prompt, format));
}

const isStrict = ({ strict }: ToolDefinition): boolean => strict === true;

/** The model chooses whether it calls, and a tool is strict. */
function hasFreeStrictCalls({ tools, toolChoice, responseFormat }: GrammarInput): boolean {
  return toolChoice.mode === 'auto' && responseFormat.type === 'text' && tools.some(isStrict);
}

/** With a forced tool the response format says nothing: the answer is the call. */
function answer(grammar: Grammar, prompt: GrammarInput): Expression[] {
  const { mode } = prompt.toolChoice;
  if (mode === 'required' || mode === 'named') return [];
  return formatExpressions(grammar, prompt.responseFormat);
}

function formatExpressions(grammar: Grammar, format: ResponseFormat): Expression[] {
  switch (format.type) {
    case 'text':
      return [];
    case 'json_object':
      return [anyObject(grammar)];
    case 'json_schema':
      return [schemaExpression(grammar, format.schema)];
  }
}

/** Forced calls, and calls that stand beside a formatted answer: with `auto` the model may choose either. */
function calls(grammar: Grammar, prompt: GrammarInput, format: OutputFormat): Expression[] {
  const { toolChoice, responseFormat } = prompt;
  if (hasFreeStrictCalls(prompt)) return format.calls.startsAnswer ? callOrText(grammar, prompt, format) : [];
  if (toolChoice.mode === 'none' || (toolChoice.mode === 'auto' && responseFormat.type === 'text')) return [];
  const tools =
    toolChoice.mode === 'named' ? prompt.tools.filter((tool) => tool.name === toolChoice.name) : prompt.tools;
  if (tools.length === 0) {
    if (toolChoice.mode === 'auto') return [];
    throw fault('invalid_request', { param: 'tool_choice', message: 'The tool choice names no tool of the request.' });
  }
  const most = toolChoice.mode === 'named' || !prompt.parallelToolCalls ? 1 : maxCalls;
  return [format.calls.expression(grammar, { tools, isHeld: () => true, most, opening: null })];
}

/** Where a call may begin an answer without an opening: an answer is a call from its beginning on, or text that begins otherwise. */
function callOrText(grammar: Grammar, prompt: GrammarInput, format: OutputFormat): Expression[] {
  const { calls, answerOpening, headers } = format;
  const call = calls.expression(grammar, { tools: prompt.tools, isHeld: isStrict, most: maxCalls, opening: null });
  const text = freeText(grammar, prompt, format);
  if (answerOpening === '') return [call, `[^\\x7b\\x5b\\x20\\x0a\\x0d\\x09] ${text}`];
  const header = headers[0] === undefined ? '' : optional(literal(headers[0]));
  return [call, sequence(header, literal(answerOpening), text)];
}

/** Any text, in which each opening begins calls. */
function freeText(grammar: Grammar, { tools }: GrammarInput, { calls }: OutputFormat): Expression {
  const [first, ...others] = calls.openings;
  if (first === undefined) return '[^\\x00]*';
  const behind = (opening: string, text: Expression) =>
    sequence(calls.expression(grammar, { tools, isHeld: isStrict, most: maxCalls, opening }), text);
  return textWithout(grammar, [first, ...others], behind);
}

/** The grammars of a request as GBNF text. */
export type GrammarTexts = {
  /** What the whole output must match, and what must follow reasoning; null: nothing constrains it. */
  whole: { atStart: string; afterReasoning: string } | null;
  calls: string | null;
};

export const noGrammars: GrammarTexts = { whole: null, calls: null };

export function isConstrained({ responseFormat, toolChoice, tools }: GrammarInput): boolean {
  if (responseFormat.type !== 'text' || toolChoice.mode === 'required' || toolChoice.mode === 'named') return true;
  return toolChoice.mode === 'auto' && tools.some(isStrict);
}

/** Throws `invalid_request`, with the field that cannot be enforced. May take a tenth of a second. */
export function grammarTexts(input: GrammarInput, spec: OutputFormatSpec): GrammarTexts {
  try {
    const format = bindOutputFormat(spec);
    const whole = promptGrammars(input, format);
    return {
      whole: whole === null ? null : { atStart: whole('nothing'), afterReasoning: whole('newlines') },
      calls: freeCallGrammar(input, format),
    };
  } catch (error) {
    if (error instanceof Fault) throw error;
    throw fault('invalid_request', { message: tooComplex, param: fieldOf(input), cause: error });
  }
}

export const tooComplex = 'This schema is too large or too complex to enforce.';

export function fieldOf({ responseFormat }: GrammarInput): string {
  return responseFormat.type === 'text' ? 'tools' : 'response_format';
}
