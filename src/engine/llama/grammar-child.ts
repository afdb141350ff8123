import { Fault, parseExactJson } from '#kernel';
import { serveRequests } from '#processes';
import type { OutputFormatSpec } from '../text/formats/output-format.ts';
import { type GrammarInput, type GrammarTexts, grammarTexts } from '../text/grammar.ts';

/** To the process that turns schemas into grammars. `input` is JSON text, which keeps digits and order. */
export type CompileRequest = { input: string; format: OutputFormatSpec };

export type CompileResult = GrammarTexts | { refused: string; param: string };

serveRequests(compile);

function compile({ input, format }: CompileRequest): CompileResult {
  try {
    // as: written by `GrammarCompiler`.
    return grammarTexts(parseExactJson(input) as GrammarInput, format);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { refused: error.message, param: error.options.param ?? 'response_format' };
  }
}
