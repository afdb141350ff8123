import { Fault, fault } from '#kernel';
import type { ChatPrompt, ResponseFormat, ToolDefinition } from '../port.ts';
import { anyOf, createGrammar, type Expression, type Grammar, literal, sequence, textWithout } from './gbnf.ts';
import { anyObject } from './json-rules.ts';
import { schemaExpression } from './schema-grammar.ts';
import type { ToolSyntax } from './template.ts';
import { callOpen } from './tool-call.ts';
import { type CallOptions, jsonCall, wholeCall, xmlCall } from './tool-grammar.ts';

export type GrammarInput = Pick<ChatPrompt, 'responseFormat' | 'toolChoice' | 'tools' | 'parallelToolCalls'>;

/** What may stand in front of the constrained text: nothing, or up to two newlines (switched on right behind `</think>`). */
export type Lead = 'nothing' | 'newlines';

/** Calls in one answer where any number is allowed: a model must not be able to go on forever. */
const maxCalls = 32;

/**
 * GBNF text that the output must match, start rule `root`, behind either lead; null where nothing constrains it. Throws
 * `invalid_request` (`response_format`) for a schema that cannot be enforced exactly.
 */
export function promptGrammars(prompt: GrammarInput, toolSyntax: ToolSyntax): ((lead: Lead) => string) | null {
  const grammar = createGrammar();
  const alternatives = [...answer(grammar, prompt), ...calls(grammar, prompt, toolSyntax)];
  if (alternatives.length === 0) return null;
  const answers = anyOf(alternatives);
  return (lead) => grammar.text(lead === 'nothing' ? answers : sequence('"\\n"{0,2}', answers));
}

/**
 * GBNF text for a free answer in which the model may call as it likes: any text, and from each `<tool_call>` on a call of one
 * of the tools, the arguments of the strict ones by their schemas. null where no tool is strict, or where all of the output is
 * constrained anyway.
 */
export function freeCallGrammar(
  { tools, toolChoice, responseFormat }: GrammarInput,
  syntax: ToolSyntax,
): string | null {
  const isStrict = ({ strict }: ToolDefinition): boolean => strict === true;
  const isFree = toolChoice.mode === 'auto' && responseFormat.type === 'text';
  if (!isFree || !tools.some(isStrict)) return null;
  const grammar = createGrammar();
  const call = oneCall(grammar, { tools, syntax, options: { opening: '', isHeld: isStrict } });
  return grammar.text(textWithout(grammar, [callOpen], (text) => sequence(call, text)));
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
function calls(grammar: Grammar, prompt: GrammarInput, syntax: ToolSyntax): Expression[] {
  const { toolChoice, responseFormat } = prompt;
  if (toolChoice.mode === 'none' || (toolChoice.mode === 'auto' && responseFormat.type === 'text')) return [];
  const tools =
    toolChoice.mode === 'named' ? prompt.tools.filter((tool) => tool.name === toolChoice.name) : prompt.tools;
  if (tools.length === 0) {
    if (toolChoice.mode === 'auto') return [];
    throw fault('invalid_request', { param: 'tool_choice', message: 'The tool choice names no tool of the request.' });
  }
  const call = oneCall(grammar, { tools, syntax, options: wholeCall });
  if (toolChoice.mode === 'named' || !prompt.parallelToolCalls) return [call];
  return [sequence(call, `(${literal('\n')} ${call}){0,${maxCalls - 1}}`)];
}

/** Strict tools come first: what a call may need in all is theirs before others have their share. */
function oneCall(
  grammar: Grammar,
  { tools, syntax, options }: { tools: readonly ToolDefinition[]; syntax: ToolSyntax; options: CallOptions },
): Expression {
  const strictFirst = tools.toSorted((one, other) => Number(other.strict === true) - Number(one.strict === true));
  const one = syntax === 'xml' ? xmlCall : jsonCall;
  return grammar.define('call', anyOf(strictFirst.map((tool) => one(grammar, tool, options))));
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
  return toolChoice.mode === 'auto' && tools.some(({ strict }) => strict === true);
}

/** Throws `invalid_request`, with the field that cannot be enforced. May take a tenth of a second. */
export function grammarTexts(input: GrammarInput, syntax: ToolSyntax): GrammarTexts {
  try {
    const whole = promptGrammars(input, syntax);
    return {
      whole: whole === null ? null : { atStart: whole('nothing'), afterReasoning: whole('newlines') },
      calls: freeCallGrammar(input, syntax),
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
