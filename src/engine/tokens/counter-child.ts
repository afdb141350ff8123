import { flushCompileCache } from 'node:module';
import { madeOnce, parseExactJson } from '#kernel';
import { openModel } from '../llama/binding.ts';
import { stampOf } from '../llama/model-file.ts';
import type { Answer, Countable, FromCounter, Question, ToCounter } from './counter-protocol.ts';
import { createModelCounter, type ModelCounter } from './model-counter.ts';
import { createModelEncoder, type ModelEncoder } from './model-encoder.ts';
import { createModelReader, type ModelReader } from './model-reader.ts';

type Loaded = { stamp: string; counter: () => ModelCounter; encoder: () => ModelEncoder; reader: () => ModelReader };

/** The program of the counting child (`counter-protocol.ts`). */
function main(): void {
  const loaded = new Map<string, Promise<Loaded>>();
  let turn = Promise.resolve();
  // A terminal or a service manager signals the whole group; the server says `stop`.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => {});
  process.on('disconnect', end);
  // The channel carries only what the parent sends, typed by the protocol.
  process.on('message', (received) => {
    const message = received as ToCounter;
    if (message.type === 'stop') end();
    else turn = turn.then(() => answer(loaded, message));
  });
}

async function answer(loaded: Map<string, Promise<Loaded>>, question: Question & { id: number }) {
  const { id, ggufPath } = question;
  try {
    send({ id, ...answerTo(question, await load(loaded, ggufPath)) });
  } catch (error) {
    loaded.delete(ggufPath);
    send({ type: 'failed', id, message: error instanceof Error ? error.message : String(error) });
  }
}

function answerTo(question: Question, { counter, encoder, reader }: Loaded): Answer {
  switch (question.type) {
    case 'count':
      return { type: 'counted', counts: itemsOf(question).map(counter().count) };
    case 'countTexts':
      return { type: 'textsCounted', counts: Uint32Array.from(question.texts, counter().countText) };
    case 'basis':
      return { type: 'basis', basis: counter().basis };
    case 'encode':
      return { type: 'encoded', items: encoder().encode(itemsOf(question), question.options) };
    case 'describe':
      return { type: 'described', facts: encoder().describe() };
    case 'readChat':
    case 'readInputs':
      return reader()(question);
  }
}

// as: written by the parent.
const itemsOf = ({ items }: { items: string }) => parseExactJson(items) as Countable[];

/** The file's present content: one that was replaced is loaded anew. */
async function load(loaded: Map<string, Promise<Loaded>>, ggufPath: string): Promise<Loaded> {
  const stamp = await stampOf(ggufPath);
  const known = await loaded.get(ggufPath);
  if (known?.stamp === stamp) return known;
  const opened = openModel({ path: ggufPath, gpu: false, maxThreads: 1, vocabOnly: true });
  const loading = opened.then((model) => ({
    stamp,
    counter: madeOnce(() => createModelCounter(model)),
    encoder: madeOnce(() => createModelEncoder(model)),
    reader: madeOnce(() => createModelReader(model)),
  }));
  loaded.set(ggufPath, loading);
  // Whoever is killed keeps nothing of what was compiled for him.
  loading.then(
    () => flushCompileCache(),
    () => {},
  );
  return loading;
}

function send(message: FromCounter): void {
  // A channel that has closed ends this process: see 'disconnect'.
  process.send?.(message, undefined, undefined, () => {});
}

/** Nothing here needs an orderly end, and native code may be at work. */
function end(): void {
  process.kill(process.pid, 'SIGKILL');
}

main();
