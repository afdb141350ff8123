import http from 'node:http';
import { makeAvx2Checkout } from '#test/avx2-checkout.ts';
import { startLlamaServer } from '#test/llama-server.ts';
import { realModels } from '#test/real-models.ts';
import { median } from './load.ts';
import { processorMs } from './processor-time.ts';
import { startServed } from './served.ts';
import { streamOnce } from './streams.ts';
import type { Row } from './table.ts';

const levels = [1, 4, 8, 16];
const parallel = Math.max(...levels);
const tokens = 32;
const rounds = 5;
const model = 'smollm2';

/** `processor`: ms of processor time a token, which a busy machine changes less. */
type Driven = { rate: number; processor: number };

/**
 * Tokens per second of N greedy streams through the whole program (admission, hold, SSE, settlement) against llama.cpp's own server with
 * the same file, threads and processor kernels, prompts included in both. Rounds alternate, and both get the same prompts.
 */
export async function benchLlamaServer({ threads }: { threads: number }): Promise<Row[]> {
  const { smollm2 } = await realModels();
  const checkout = await makeAvx2Checkout();
  const served = await startServed([{ id: model, kind: 'text', gguf: smollm2, sequences: parallel }], {
    checkout: checkout.folder,
  });
  const server = await startLlamaServer(smollm2, { parallel, threads });
  // llama.cpp's server ends a connection after a stream.
  const agent = new http.Agent({ keepAlive: false });
  const ours = {
    url: `${served.url}/api/projects/local/chat/openai/v1/chat/completions`,
    key: served.key,
    agent,
    pid: served.pid,
  };
  const theirs = { url: `${server.url}/chat/completions`, key: 'none', agent, pid: server.pid };

  async function drive({ pid, ...side }: typeof ours, streams: number, round: number): Promise<Driven> {
    const began = performance.now();
    const spent = processorMs([pid]);
    const answers = await Promise.all(
      Array.from({ length: streams }, (_, stream) =>
        streamOnce({ ...side, body: requestOf(`${streams * 100 + round}, ${stream}`) }),
      ),
    );
    const drawn = answers.reduce((sum, { completionTokens }) => sum + completionTokens, 0);
    return { rate: drawn / ((performance.now() - began) / 1000), processor: (processorMs([pid]) - spent) / drawn };
  }

  try {
    for (const side of [ours, theirs]) await drive(side, parallel, -1);
    const rows: Row[] = [];
    for (const streams of levels) {
      const pairs: { ours: Driven; theirs: Driven }[] = [];
      for (let round = 0; round < rounds; round++) {
        // Who begins alternates: the second of a pair may find another machine than the first.
        const first = round % 2 === 0 ? ours : theirs;
        const [one, other] = [
          await drive(first, streams, round),
          await drive(first === ours ? theirs : ours, streams, round),
        ];
        pairs.push(first === ours ? { ours: one, theirs: other } : { ours: other, theirs: one });
      }
      const middle = (side: 'ours' | 'theirs', field: keyof Driven) => median(pairs.map((pair) => pair[side][field]));
      const rates = `${middle('ours', 'rate').toFixed(0)} against ${middle('theirs', 'rate').toFixed(0)} tokens/s`;
      const times = `${middle('ours', 'processor').toFixed(1)} against ${middle('theirs', 'processor').toFixed(1)} ms of processor time a token`;
      rows.push({
        name: `served / llama.cpp's server, SmolLM2 135M, ${streams} ${streams === 1 ? 'stream' : 'streams'}`,
        ratio: median(pairs.map((pair) => pair.ours.rate / pair.theirs.rate)),
        goal: 1,
        sense: 'at least',
        figures: `${rates}, ${times}, ${threads} ${threads === 1 ? 'thread' : 'threads'} each`,
      });
    }
    return rows;
  } finally {
    await server.stop();
    await served.stop();
    await checkout.remove();
  }
}

function requestOf(what: string): object {
  return {
    model,
    messages: [{ role: 'user', content: `Write a long story about a village with these numbers: ${what}.` }],
    max_tokens: tokens,
    temperature: 0,
    stream: true,
    stream_options: { include_usage: true },
  };
}
