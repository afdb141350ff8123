import { parentPort } from 'node:worker_threads';
import type { SearchTerm } from '../content/search-words.ts';
import type { FromThread, ToThread } from './block-maker.ts';
import { lineHas, wordsOfLine } from './example-line.ts';
import { WordBlock } from './word-block.ts';

/** The program of the thread that divides contents into words (`block-maker.ts`). */
function main(): void {
  let block = new WordBlock();
  const answer = (message: ToThread): FromThread => {
    if ('terms' in message) return { places: placesOf(message.lines.split('\n'), message.terms) };
    if ('lines' in message) {
      for (const line of message.lines.split('\n')) block.add(wordsOfLine(line));
      return { isFull: block.isFull };
    }
    const pages = block.pages();
    block = new WordBlock();
    return { pages };
  };
  // as: the thread is sent nothing else.
  parentPort?.on('message', (message) => parentPort?.postMessage(answer(message as ToThread)));
}

function placesOf(lines: readonly string[], terms: readonly SearchTerm[]): number[] {
  return lines.flatMap((line, place) => (lineHas(line, terms) ? [place] : []));
}

main();
