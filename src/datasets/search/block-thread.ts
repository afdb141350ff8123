import { parentPort } from 'node:worker_threads';
import type { FromMaker, ToMaker } from './block-maker.ts';
import { WordBlock } from './word-block.ts';

/** The program of the thread that makes blocks (`block-maker.ts`). */
function main(): void {
  let block = new WordBlock();
  const answer = (message: ToMaker): FromMaker => {
    if ('lines' in message) {
      for (const line of message.lines.split('\n')) block.add(line.split(' '));
      return { isFull: block.isFull };
    }
    const pages = block.pages();
    block = new WordBlock();
    return { pages };
  };
  // as: the thread is sent nothing else.
  parentPort?.on('message', (message) => parentPort?.postMessage(answer(message as ToMaker)));
}

main();
