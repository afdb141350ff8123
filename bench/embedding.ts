import path from 'node:path';
import { load, median, postRequest } from './load.ts';
import { startRawEngine } from './raw-engine.ts';
import { startServed } from './served.ts';
import type { Row } from './table.ts';

const gguf = path.join(import.meta.dirname, '../models/tiny-embed/tiny-embed.gguf');
const rounds = 5;
const connections = 8;
/** Short inputs come in pairs, as many as a call may have; of the long ones a call holds one. */
const shapes = [
  { words: 20, inputs: 2 },
  { words: 200, inputs: 1 },
];

/** Inputs per second through the whole program against the engine's own embedding of inputs of the same length. */
export async function benchEmbedding({ threads }: { threads: number }): Promise<Row[]> {
  const served = await startServed();
  const raw = await startRawEngine({ gguf, kind: 'embedding', threads });
  const url = '/api/projects/local/search/openai/v1/embeddings';
  const port = Number(new URL(served.url).port);
  try {
    const rows: Row[] = [];
    for (const { words, inputs } of shapes) {
      const input = 'the red lamp costs twenty euros and ships in three days '
        .repeat(words)
        .split(' ')
        .slice(0, words)
        .join(' ');
      const tokens = await countTokens(served, input);
      const request = postRequest(url, served.key, { model: 'search', input: Array(inputs).fill(input) });
      const rates = { raw: [] as number[], served: [] as number[] };
      for (let round = 0; round < rounds; round++) {
        rates.raw.push(await raw.run({ type: 'embed', inputs: [tokens], rounds: 300 }));
        const result = await load({ port, connections, durationMs: 2000, request: () => request });
        if (result.failures > 0) throw new Error(`${result.failures} embedding calls failed`);
        rates.served.push(result.perSecond * inputs);
      }
      rows.push({
        name: `served / raw embedding, ${tokens} tokens an input, ${inputs === 1 ? 'one input' : `${inputs} inputs`} a call, ${connections} callers`,
        ratio: median(rates.served.map((rate, round) => rate / (rates.raw[round] ?? Number.NaN))),
        goal: 0.95,
        sense: 'at least',
        figures: `${median(rates.served).toFixed(0)} against ${median(rates.raw).toFixed(0)} inputs/s`,
      });
    }
    return rows;
  } finally {
    raw.stop();
    await served.stop();
  }
}

async function countTokens({ url, key }: { url: string; key: string }, input: string): Promise<number> {
  const response = await fetch(`${url}/api/projects/local/search/openai/v1/embeddings`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify({ model: 'search', input }),
    signal: AbortSignal.timeout(60_000),
  });
  const body = (await response.json()) as { usage: { prompt_tokens: number } };
  return body.usage.prompt_tokens;
}
