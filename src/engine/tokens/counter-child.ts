import { lazy, parseExactJson } from '#kernel';
import { serveRequests } from '#processes';
import { openModel } from '../llama/binding.ts';
import { stampOf } from '../llama/model-file.ts';
import { createModelCounter, type ModelCounter } from './model-counter.ts';
import { createModelEncoder, type ModelEncoder } from './model-encoder.ts';
import { createModelReader, type ModelReader } from './model-reader.ts';
import type { Countable, VocabularyRequest, VocabularyResponse } from './vocabulary-protocol.ts';

type Loaded = { stamp: string; counter: () => ModelCounter; encoder: () => ModelEncoder; reader: () => ModelReader };

const loaded = new Map<string, Promise<Loaded>>();

/** The program of the counting child (`vocabulary-protocol.ts`). */
serveRequests(respond);

async function respond(request: VocabularyRequest): Promise<VocabularyResponse> {
  try {
    return responseTo(request, await load(request.ggufPath));
  } catch (error) {
    loaded.delete(request.ggufPath);
    throw error;
  }
}

function responseTo(request: VocabularyRequest, { counter, encoder, reader }: Loaded): VocabularyResponse {
  switch (request.type) {
    case 'count':
      return { type: 'counted', counts: itemsOf(request).map(counter().count) };
    case 'countTexts':
      return { type: 'textsCounted', counts: Uint32Array.from(request.texts, counter().countText) };
    case 'basis':
      return { type: 'basis', basis: counter().basis };
    case 'encode':
      return { type: 'encoded', items: encoder().encode(itemsOf(request), request.options) };
    case 'describe':
      return { type: 'described', facts: encoder().describe() };
    case 'readChat':
    case 'readInputs':
      return reader()(request);
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
    counter: lazy(() => createModelCounter(model)),
    encoder: lazy(() => createModelEncoder(model)),
    reader: lazy(() => createModelReader(model)),
  }));
  loaded.set(ggufPath, loading);
  return loading;
}
