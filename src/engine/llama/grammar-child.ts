import { Fault, parseExactJson } from '#kernel';
import { serveRequests } from '#processes';
import { type Asked, type GrammarTexts, grammarTexts } from '../text/grammar.ts';
import type { ToolSyntax } from '../text/template.ts';

/** To the process that turns schemas into grammars. `asked` is JSON text, which keeps digits and order. */
export type CompileRequest = { asked: string; syntax: ToolSyntax };

export type CompileResult = GrammarTexts | { refused: string; param: string };

serveRequests(compile);

function compile({ asked, syntax }: CompileRequest): CompileResult {
  try {
    // as: written by `GrammarCompiler`.
    return grammarTexts(parseExactJson(asked) as Asked, syntax);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { refused: error.message, param: error.options.param ?? 'response_format' };
  }
}
