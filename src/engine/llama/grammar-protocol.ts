import type { GrammarTexts } from '../text/grammar-texts.ts';
import type { ToolSyntax } from '../text/template.ts';

/** To the process that turns schemas into grammars. `asked` is JSON text, which keeps digits and order. */
export type CompileRequest = { asked: string; syntax: ToolSyntax };

/** The grammars, or why the request cannot be enforced. */
export type CompileResult = GrammarTexts | { refused: string; param: string };
