import { fault } from '#kernel';
import type { ChatPrompt } from '../port.ts';
import type { ToolSyntax } from './template.ts';

export type GrammarOptions = {
  toolSyntax: ToolSyntax;
  /**
   * What may stand in front of the constrained text: nothing; up to two newlines (switched on right behind
   * `</think>`); or a whole think block that the model may leave out (switched on from the first token).
   */
  lead: 'nothing' | 'newlines' | 'reasoning';
};

/**
 * GBNF text that the output must match, start rule `root`; null where nothing constrains it. Throws
 * `invalid_request` (`response_format`) for a schema that cannot be enforced exactly.
 */
export function promptGrammar(prompt: ChatPrompt, options: GrammarOptions): string | null {
  if (prompt.responseFormat.type === 'text' && prompt.toolChoice.mode === 'auto') return null;
  throw fault('invalid_request', { param: 'response_format', message: `Not supported ${options.lead}` });
}
