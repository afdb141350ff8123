import { Fault, parseExactJson } from '#kernel';
import type { Asked } from '../text/grammar.ts';
import { grammarTexts } from '../text/grammar-texts.ts';
import type { FromGrammarChild, ToGrammarChild } from './grammar-protocol.ts';

/** The program of the process that turns schemas into grammars (`grammar-protocol.ts`). It ends with the server. */
function main(): void {
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => {});
  process.on('disconnect', () => process.exit());
  // The channel carries only what the server sends, typed by the protocol.
  process.on('message', (received) => {
    const message = received as ToGrammarChild;
    if (message.type === 'stop') process.exit();
    process.send?.(answer(message));
  });
  const ready: FromGrammarChild = { type: 'ready' };
  process.send?.(ready);
}

function answer({ id, asked, syntax }: Extract<ToGrammarChild, { type: 'compile' }>): FromGrammarChild {
  try {
    // as: written by `GrammarCompiler`.
    return { type: 'compiled', id, texts: grammarTexts(parseExactJson(asked) as Asked, syntax) };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { type: 'refused', id, message: error.message, param: error.options.param ?? 'response_format' };
  }
}

main();
