import type { GrammarTexts } from '../text/grammar-texts.ts';
import type { ToolSyntax } from '../text/template.ts';

/** Messages between the server and the process that turns schemas into grammars. `asked` is JSON text, which keeps digits and order. */
export type ToGrammarChild = { type: 'compile'; id: number; asked: string; syntax: ToolSyntax } | { type: 'stop' };

export type FromGrammarChild =
  /** It has started: from now on what it is asked takes its time. */
  | { type: 'ready' }
  | { type: 'compiled'; id: number; texts: GrammarTexts }
  /** The request cannot be enforced. */
  | { type: 'refused'; id: number; message: string; param: string };
