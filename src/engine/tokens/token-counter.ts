import { fault } from '#kernel';
import { serializePrompt } from '../llama/protocol.ts';
import type { ChatPrompt, EngineModel } from '../port.ts';
import { batches, charactersOf, VocabularyProcess, type VocabularyProcessOptions } from './vocabulary-process.ts';
import type {
  Countable,
  CountingBasis,
  Encoded,
  EncodeOptions,
  TokenCount,
  VocabularyFacts,
} from './vocabulary-protocol.ts';

/** Counts tokens exactly as a model sees them, without loading the model and without a place in its queue. */
export type TokenCounter = {
  /**
   * Counts in the order of the items. Throws `model_not_installed`, and `capacity_unavailable` when counting fails or takes
   * too long.
   */
  count: (modelId: string, items: readonly Countable[], signal?: AbortSignal) => Promise<TokenCount[]>;
  close: () => Promise<void>;
};

export type TokenCounterOptions = VocabularyProcessOptions & {
  /** The installed models at present; read at every call. */
  models: () => readonly EngineModel[];
};

/** For those who count by themselves and lack nothing but the tokeniser (`item-counter.ts`). Throws as `count` does. */
export type TextTokens = {
  basis: (modelId: string) => Promise<CountingBasis>;
  countTexts: (modelId: string, texts: readonly string[]) => Promise<number[]>;
};

/** For those who run prompts elsewhere. */
export type PromptTokens = {
  /**
   * Tokens of a prompt as the model runs on it, or of its beginning, as soon as those are more than `most`. null: its template refuses
   * it. Throws as `count` does.
   */
  countPrompt: (prompt: ChatPrompt, most: number, signal: AbortSignal) => Promise<number | null>;
};

export function createTokenCounter(options: TokenCounterOptions): TokenCounter & TextTokens & PromptTokens {
  const process = new VocabularyProcess(options);

  function ggufOf(modelId: string): string {
    const model = options.models().find(({ id }) => id === modelId);
    if (!model) throw fault('model_not_installed', { internal: `Tokens were to be counted for ${modelId}` });
    return model.ggufPath;
  }

  return {
    async count(modelId, items, signal) {
      const ggufPath = ggufOf(modelId);
      return inBatches(batches(items, charactersOf), signal, async (batch) => {
        const request = { type: 'count', ggufPath, items: JSON.stringify(batch) } as const;
        return (await process.request(request, ['counted'])).counts;
      });
    },
    async countPrompt(prompt, most, signal) {
      signal.throwIfAborted();
      const ggufPath = ggufOf(prompt.target.baseModelId);
      const request = { type: 'readChat', ggufPath, prompt: serializePrompt(prompt), most } as const;
      const response = await process.request(request, ['chatRead', 'tooLong', 'refused'], 'messages');
      signal.throwIfAborted();
      if (response.type === 'tooLong') return response.atLeast;
      return response.type === 'chatRead' ? response.read.tokens.length : null;
    },
    async countTexts(modelId, texts) {
      const ggufPath = ggufOf(modelId);
      return inBatches(
        batches(texts, ({ length }) => length),
        undefined,
        async (batch) => [
          ...(await process.request({ type: 'countTexts', ggufPath, texts: batch }, ['textsCounted'])).counts,
        ],
      );
    },
    basis: async (modelId) => (await process.request({ type: 'basis', ggufPath: ggufOf(modelId) }, ['basis'])).basis,
    close: () => process.close(),
  };
}

/** Batches of a caller that wait for the child: others have their turn in between. */
const atOnce = 3;

/** Results in the order of the batches. The child has the next ones at hand while the first one is on its way back. */
async function inBatches<Item, Result>(
  items: Iterable<Item[]>,
  signal: AbortSignal | undefined,
  work: (batch: Item[]) => Promise<Result[]>,
): Promise<Result[]> {
  const results: Result[] = [];
  const inFlight: Promise<Result[]>[] = [];
  for (const batch of items) {
    signal?.throwIfAborted();
    const result = work(batch);
    // It is waited for later, or never.
    result.catch(() => {});
    inFlight.push(result);
    const first = inFlight.length >= atOnce ? inFlight.shift() : undefined;
    if (first) results.push(...(await first));
  }
  for (const result of inFlight) results.push(...(await result));
  return results;
}

/** Makes of examples what a model learns, with its own vocabulary and chat template, in a process of its own. */
export type ExampleEncoder = {
  /** In the order of the items. Throws `capacity_unavailable` when it fails or takes too long. */
  encode: (
    ggufPath: string,
    items: readonly Countable[],
    options: EncodeOptions,
    signal?: AbortSignal,
  ) => Promise<Encoded[]>;
  describe: (ggufPath: string) => Promise<VocabularyFacts>;
  close: () => Promise<void>;
};

export function createExampleEncoder(options: VocabularyProcessOptions): ExampleEncoder {
  const process = new VocabularyProcess(options);
  return {
    encode: async (ggufPath, items, encoding, signal) => {
      const encoded: Encoded[] = [];
      for (const batch of batches(items, charactersOf)) {
        signal?.throwIfAborted();
        const request = { type: 'encode', ggufPath, items: JSON.stringify(batch), options: encoding } as const;
        encoded.push(...(await process.request(request, ['encoded'])).items);
      }
      return encoded;
    },
    describe: async (ggufPath) => (await process.request({ type: 'describe', ggufPath }, ['described'])).facts,
    close: () => process.close(),
  };
}
