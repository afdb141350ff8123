import { flushCompileCache } from 'node:module';
import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import { BlockJudge, type CountTexts, type JudgeDeps } from './block-judge.ts';
import type { FromJudge, JudgeStart, ToJudge } from './judge-protocol.ts';

/** The program of a thread that judges blocks (`judge-threads.ts`). It loads no more than it needs: there are several. */
async function main(): Promise<void> {
  const port = parentPort;
  if (isMainThread || !port) throw new Error('This is the program of a thread.');
  const say = (message: FromJudge, memory: readonly ArrayBuffer[] = []) => port.postMessage(message, memory);
  // as: this is what judge-threads.ts starts it with.
  const { yardstick, itemCounter } = workerData as JudgeStart;
  // as: the engine says that its counter is there.
  const { createItemCounter } = (await import(itemCounter)) as Pick<JudgeDeps, 'createItemCounter'>;
  const { countTexts, answered } = questions(say);
  const judge = new BlockJudge(yardstick, { createItemCounter, countTexts });
  // Whoever is terminated keeps nothing of what was compiled for him.
  flushCompileCache();

  async function judgeBlock({ id, text, bytes, isCut, memory }: ToJudge & { type: 'block' }): Promise<void> {
    const block = { buffer: Buffer.from(text), bytes, byteOffset: 0, isCut };
    try {
      const { examples, ...parts } = await judge.judge({ type: 'lines', block }, memory);
      const judged = { ...parts, memory: examples.buffer, exampleBytes: examples.length };
      say({ type: 'judged', id, text, judged }, [text, examples.buffer]);
    } catch (error) {
      say({ type: 'failed', id, message: error instanceof Error ? (error.stack ?? error.message) : String(error) });
    }
  }

  port.on('message', (message: ToJudge) => {
    if (message.type === 'block') void judgeBlock(message);
    else answered(message);
  });
}

/** Asks the main thread, and remembers who waits for which answer. */
function questions(say: (message: FromJudge) => void) {
  const waiting = new Map<number, PromiseWithResolvers<ArrayLike<number>>>();
  let lastId = 0;
  const countTexts: CountTexts = (texts) => {
    const answer = Promise.withResolvers<ArrayLike<number>>();
    const id = ++lastId;
    waiting.set(id, answer);
    say({ type: 'ask', id, texts });
    return answer.promise;
  };
  const answered = ({ id, counts }: ToJudge & { type: 'counted' }) => {
    waiting.get(id)?.resolve(counts);
    waiting.delete(id);
  };
  return { countTexts, answered };
}

await main();
