import http from 'node:http';
import path from 'node:path';
import { median } from './load.ts';
import { startRawEngine } from './raw-engine.ts';
import { type Served, startServed } from './served.ts';
import { streamOnce } from './streams.ts';
import type { Row } from './table.ts';

const gguf = path.join(import.meta.dirname, '../models/tiny-chat/tiny-chat.gguf');
const rounds = 60;

/**
 * Time to first byte of a stream, one call at a time: what the program adds to the engine's own first token for a
 * prompt of the same length, and what the prefix cache saves in the second turn of a long conversation.
 */
export async function benchLatency({ threads }: { threads: number }): Promise<Row[]> {
  const served = await startServed();
  const raw = await startRawEngine({ gguf, kind: 'text', threads });
  try {
    return [await firstByte(served, raw), await secondTurn(served)];
  } finally {
    raw.stop();
    await served.stop();
  }
}

type Raw = Awaited<ReturnType<typeof startRawEngine>>;

async function firstByte(served: Served, raw: Raw): Promise<Row> {
  const times: number[] = [];
  const engine: number[] = [];
  let tokens = 0;
  for (let round = 0; round < rounds; round++) {
    const answer = await ask(served, [{ role: 'user', content: `${round} How are you today?` }], 1);
    times.push(answer.firstMs);
    // Of the prompt, what the prefix cache had is not computed; the raw engine gets as many tokens as really ran.
    tokens = answer.promptTokens - answer.cachedTokens;
    engine.push(await raw.run({ type: 'first_token', promptTokens: tokens, rounds: 3 }));
  }
  const added = times.map((ms, round) => ms - (engine[round] ?? Number.NaN)).sort((a, b) => a - b);
  return {
    name: 'time to first byte added by the program, p50 in ms',
    ratio: median(added),
    goal: 1.5,
    sense: 'at most',
    figures: `served ${median(times).toFixed(2)} ms, engine alone ${median(engine).toFixed(2)} ms for ${tokens} tokens; p99 added ${added.at(-1)?.toFixed(2)} ms`,
  };
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
