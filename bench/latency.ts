import http from 'node:http';
import path from 'node:path';
import { createEngine, type Engine } from '#engine';
import { systemClock } from '#kernel';
import { median } from './load.ts';
import { type Served, startServed } from './served.ts';
import { streamOnce } from './streams.ts';
import type { Row } from './table.ts';

const gguf = path.join(import.meta.dirname, '../models/tiny-chat/tiny-chat.gguf');
const rounds = 60;

/**
 * Time to first byte of a stream, one call at a time: what the program adds to the engine's own first token (prompt
 * rendered, tokenised and run in an engine child of this process, without HTTP, database and money), and what the
 * prefix cache saves in the second turn of a long conversation.
 */
export async function benchLatency(): Promise<Row[]> {
  const served = await startServed();
  const model = { id: 'tiny', kind: 'text', ggufPath: gguf, maxContextTokens: 4096 } as const;
  const engine = createEngine({ models: () => [model], environment: process.env, clock: systemClock, log: () => {} });
  try {
    return [await firstByte(served, engine), await secondTurn(served)];
  } finally {
    await engine.close();
    await served.stop();
  }
}

async function firstByte(served: Served, engine: Engine): Promise<Row> {
  const added: number[] = [];
  const times = { served: [] as number[], engine: [] as number[] };
  for (let round = -1; round < rounds; round++) {
    const content = `${round} How are you today?`;
    const ofServed = (await ask(served, [{ role: 'user', content }], 1)).firstMs;
    const ofEngine = await engineFirstToken(engine, content);
    // The first round loads the models.
    if (round < 0) continue;
    times.served.push(ofServed);
    times.engine.push(ofEngine);
    added.push(ofServed - ofEngine);
  }
  added.sort((a, b) => a - b);
  return {
    name: 'time to first byte added by the program, p50 in ms',
    ratio: median(added),
    goal: 1.5,
    sense: 'at most',
    figures: `served ${median(times.served).toFixed(2)} ms, engine alone ${median(times.engine).toFixed(2)} ms; p90 added ${added[Math.floor(rounds * 0.9)]?.toFixed(2)} ms`,
  };
}

async function engineFirstToken(engine: Engine, content: string): Promise<number> {
  const { signal } = new AbortController();
  const sentAt = performance.now();
  const { handle } = await engine.prepareChat(
    {
      target: { baseModelId: 'tiny', adapter: null },
      messages: [{ role: 'user', content }],
      tools: [],
      toolChoice: { mode: 'auto' },
      parallelToolCalls: true,
      responseFormat: { type: 'text' },
      reasoningEffort: 'none',
    },
    signal,
  );
  let firstMs = Number.NaN;
  const sampling = {
    maxTokens: 1,
    temperature: 0,
    topP: 1,
    presencePenalty: 0,
    frequencyPenalty: 0,
    seed: null,
    stop: [],
  };
  await engine.generate({ handle, sampling, cacheScope: 'bench', signal }, () => {
    if (Number.isNaN(firstMs)) firstMs = performance.now() - sentAt;
  });
  return firstMs;
}

async function secondTurn(served: Served): Promise<Row> {
  const cold: number[] = [];
  const warm: number[] = [];
  let cached = 0;
  for (let round = 0; round < 15; round++) {
    const first = { role: 'user', content: `${round} ${'one two three four '.repeat(100)}` };
    const opening = await ask(served, [first], 8);
    cold.push(opening.firstMs);
    const next = await ask(
      served,
      [first, { role: 'assistant', content: opening.content }, { role: 'user', content: 'And now?' }],
      8,
    );
    warm.push(next.firstMs);
    cached = next.cachedTokens;
  }
  return {
    name: 'first byte of the second turn / of the cold first turn',
    ratio: median(warm) / median(cold),
    goal: 0.25,
    sense: 'at most',
    figures: `${median(warm).toFixed(1)} against ${median(cold).toFixed(1)} ms with ${cached} cached tokens`,
  };
}

async function ask(served: Served, messages: { role: string; content: string }[], maxTokens: number) {
  const { firstMs, text } = await streamOnce({
    url: `${served.url}/api/projects/local/chat/openai/v1/chat/completions`,
    key: served.key,
    agent: http.globalAgent,
    keepText: true,
    body: {
      model: 'chat',
      messages,
      max_tokens: maxTokens,
      stream: true,
      stream_options: { include_usage: true },
      reasoning_effort: 'none',
      temperature: 0,
    },
  });
  const frames = text
    .split('\n\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice(6)));
  const usage = frames.at(-1).usage;
  const content = frames.map((frame) => frame.choices[0]?.delta.content ?? '').join('');
  return { firstMs, content, promptTokens: Number(usage.prompt_tokens), cachedTokens: Number(usage.cached_tokens) };
}
