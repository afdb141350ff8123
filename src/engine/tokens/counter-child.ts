import { madeOnce, parseExactJson } from '#kernel';
import { serveRequests } from '#processes';
import { openModel } from '../llama/binding.ts';
import { stampOf } from '../llama/model-file.ts';
import type { Answer, Countable, Question } from './counter-protocol.ts';
import { createModelCounter, type ModelCounter } from './model-counter.ts';
import { createModelEncoder, type ModelEncoder } from './model-encoder.ts';
import { createModelReader, type ModelReader } from './model-reader.ts';

type Loaded = { stamp: string; counter: () => ModelCounter; encoder: () => ModelEncoder; reader: () => ModelReader };

const loaded = new Map<string, Promise<Loaded>>();

/** The program of the counting child (`counter-protocol.ts`). */
serveRequests(answer);

async function answer(question: Question): Promise<Answer> {
  try {
    return answerTo(question, await load(question.ggufPath));
  } catch (error) {
    loaded.delete(question.ggufPath);
    throw error;
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
async function load(ggufPath: string): Promise<Loaded> {
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
  return loading;
}
