import { Fault, parseExactJson } from '#kernel';
import { serveRequests } from '#processes';
import type { Asked } from '../text/grammar.ts';
import { grammarTexts } from '../text/grammar-texts.ts';
import type { CompileRequest, CompileResult } from './grammar-protocol.ts';

/** The program of the process that turns schemas into grammars. */
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
