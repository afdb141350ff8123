import http from 'node:http';
import type { GpuTarget } from '../src/engine/gpu/backends.ts';
import { median } from './load.ts';
import { startRawEngine } from './raw-engine.ts';
import { startServed } from './served.ts';
import { streamOnce } from './streams.ts';
import type { Row } from './table.ts';

export type DecodingShape = {
  name: string;
  gguf: string;
  tokens: number;
  rounds: number;
  threads: number;
  /** Left out: both sides run on the CPU. */
  gpu?: GpuTarget;
  levels?: readonly DecodingLevel[];
};
/** `goal`: least share of the raw speed. */
export type DecodingLevel = { streams: number; goal: number };

const usualLevels: readonly DecodingLevel[] = [
  { streams: 1, goal: 0.95 },
  { streams: 4, goal: 0.9 },
  { streams: 8, goal: 0.9 },
];
const promptTokens = 24;
/** A model of random weights draws its end now and then; what was drawn with others then is drawn again. */
const mostTries = 20;

/**
 * Tokens per second of N streams through the whole program (HTTP, admission, hold, SSE, settlement) against the
 * engine's own batched decoding of the same model at the same batch size, prompts included in both. Rounds alternate.
 */
export async function benchDecoding(shape: DecodingShape): Promise<Row[]> {
  const { name, gguf, tokens, rounds, threads, gpu, levels = usualLevels } = shape;
  const sequences = Math.max(...levels.map(({ streams }) => streams));
  const served = await startServed([{ id: 'bench-model', kind: 'text', gguf, sequences }], {
    env: { FANFOLD_ENGINE_GPU: gpu?.backend ?? 'off' },
  });
  const raw = await startRawEngine({ gguf, kind: 'text', threads, sequences, gpu });
  const agent = new http.Agent({ keepAlive: true });
  const url = `${served.url}/api/projects/local/chat/openai/v1/chat/completions`;
  const stream = (seed: number) =>
    streamOnce({
      url,
      key: served.key,
      agent,
      body: {
        model: 'bench-model',
        messages: [{ role: 'user', content: 'abcdefgh' }],
        max_tokens: tokens,
        stream: true,
        stream_options: { include_usage: true },
        seed,
        reasoning_effort: 'none',
      },
    });
  let seeds = 0;
  const another = () => {
    seeds += 1;
    return stream(seeds);
  };
  async function servedRate(streams: number): Promise<number> {
    for (let tries = 0; tries < mostTries; tries += 1) {
      const began = performance.now();
      const answers = await Promise.all(Array.from({ length: streams }, another));
      const drawn = answers.reduce((sum, { completionTokens }) => sum + completionTokens, 0);
      if (drawn === streams * tokens) return drawn / ((performance.now() - began) / 1000);
    }
    throw new Error(`An answer of ${tokens} tokens ended early ${mostTries} times in a row.`);
  }
  try {
    await stream(0);
    await raw.run({ type: 'decode', sequences: 1, promptTokens, tokens: 8 });
    const rows: Row[] = [];
    for (const { streams, goal } of levels) {
      const rates = { raw: [] as number[], served: [] as number[] };
      for (let round = 0; round < rounds; round++) {
        rates.raw.push(await raw.run({ type: 'decode', sequences: streams, promptTokens, tokens }));
        rates.served.push(await servedRate(streams));
      }
      rows.push({
        name: `served / raw decoding, ${name}, ${streams} ${streams === 1 ? 'stream' : 'streams'}`,
        ratio: median(rates.served.map((rate, round) => rate / (rates.raw[round] ?? Number.NaN))),
        goal,
        sense: 'at least',
        figures: `${median(rates.served).toFixed(0)} against ${median(rates.raw).toFixed(0)} tokens/s`,
      });
    }
    return rows;
  } finally {
    raw.stop();
    await served.stop();
  }
}
