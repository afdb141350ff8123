import { Fault, fault } from '#kernel';
import { type Asked, freeCallGrammar, promptGrammars } from './grammar.ts';
import type { ToolSyntax } from './template.ts';

/** The grammars of a request as GBNF text. */
export type GrammarTexts = {
  /** What the whole output must match, and what must follow reasoning; null: nothing constrains it. */
  whole: { atStart: string; afterReasoning: string } | null;
  /** What calls of free answers must match. */
  calls: string | null;
};

export const noGrammars: GrammarTexts = { whole: null, calls: null };

/** Whether a request has any grammar. */
export function isConstrained({ responseFormat, toolChoice, tools }: Asked): boolean {
  if (responseFormat.type !== 'text' || toolChoice.mode === 'required' || toolChoice.mode === 'named') return true;
  return toolChoice.mode === 'auto' && tools.some(({ strict }) => strict === true);
}

/** Throws `invalid_request`, with the field that cannot be enforced. May take a tenth of a second. */
export function grammarTexts(asked: Asked, syntax: ToolSyntax): GrammarTexts {
  try {
    const whole = promptGrammars(asked, syntax);
    return {
      whole: whole === null ? null : { atStart: whole('nothing'), afterReasoning: whole('newlines') },
      calls: freeCallGrammar(asked, syntax),
    };
  } catch (error) {
    if (error instanceof Fault) throw error;
    throw fault('invalid_request', { message: tooComplex, param: fieldOf(asked), cause: error });
  }
}

export const tooComplex = 'This schema is too large or too complex to enforce.';

/** Whose schema it is that cannot be enforced. */
export function fieldOf({ responseFormat }: Asked): string {
  return responseFormat.type === 'text' ? 'tools' : 'response_format';
}
