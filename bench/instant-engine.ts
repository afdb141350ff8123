import type { Engine, Finished } from '#engine';

const answer = 'The quick brown fox jumps over the lazy dog. '.repeat(20);

/**
 * An engine that answers at once, so that a benchmark measures everything around the engine. It exists only here: the
 * program has no way to start it.
 */
export function createInstantEngine(): Engine {
  let handles = 0;
  const finished: Finished = {
    reason: 'stop',
    usage: { promptTokens: 400, completionTokens: 200, reasoningTokens: 0, cachedTokens: 0 },
    activeMs: 100,
  };
  return {
    prepareChat: async () => ({ handle: String(handles++), promptTokens: 400, maxContextTokens: 4096 }),
    generate: async (_generation, onDelta) => {
      onDelta({ type: 'content', text: answer });
      return finished;
    },
    prepareEmbedding: async ({ texts }) => ({
      handle: String(handles++),
      inputs: texts.map(() => ({ tokens: 8, truncated: false })),
      dimensions: 128,
    }),
    embed: async () => ({ vectors: [new Float32Array(128).fill(0.088)], promptTokens: 8, activeMs: 1 }),
    tokenize: async () => [],
    detokenize: async () => '',
    release: () => {},
    status: () => ({ status: 'ready', etaMs: null, loadedAtMs: null, error: null, runsOn: null }),
    throughput: () => ({ prefillMsPerToken: 0.01, decodeMsPerToken: 0.1 }),
    load: () => ({ running: 0, waiting: 0 }),
    warm: () => {},
    close: async () => {},
  };
}
