import { question } from './hot-path.ts';
import { load, median, postRequest } from './load.ts';
import { processorMs } from './processor-time.ts';
import { startProxied } from './proxied.ts';
import type { Row } from './table.ts';

const pairs = 8;
const roundMs = 1_000;
const warmMs = 2_000;
const connections = 32;
const goal = 1.1;

type Variant = { name: string; path: string; body: object; isWhole: (answer: string) => boolean };

const text = question.messages.map(({ content }) => content).join('');

/** The same question in each protocol. */
const variants: readonly Variant[] = [
  {
    name: 'responses, not stored',
    path: '/openai/v1/responses',
    body: { model: 'chat', input: text, max_output_tokens: 1024, store: false },
    isWhole: (answer) => answer.includes('response.completed'),
  },
  {
    name: 'responses, stored',
    path: '/openai/v1/responses',
    body: { model: 'chat', input: text, max_output_tokens: 1024 },
    isWhole: (answer) => answer.includes('response.completed'),
  },
  {
    name: 'messages',
    path: '/anthropic/v1/messages',
    body: { ...question, max_tokens: 1024 },
    isWhole: (answer) => answer.includes('message_stop'),
  },
];

const chat: Variant = {
  name: 'chat completions',
  path: '/openai/v1/chat/completions',
  body: { ...question, max_tokens: 1024 },
  isWhole: (answer) => answer.includes('data: [DONE]'),
};

/**
 * What a call costs in each protocol, in processor time of server and database, against chat completions: the real program
 * in front of an engine that answers at once, by turns in one run. A stream has twenty pieces of text.
 */
export async function benchProtocols(): Promise<Row[]> {
  const { replicas, callers, databasePid, stop } = await startProxied();
  const [server = { port: 0, pid: 0 }] = replicas;
  const spentMs = () => processorMs([server.pid, databasePid]);

  async function drive({ path, body, isWhole }: Variant, streams: boolean, durationMs = roundMs): Promise<number> {
    const requests = callers.map((caller) =>
      postRequest(caller.path.replace('/openai/v1/chat/completions', path), caller.key, { ...body, stream: streams }),
    );
    const request = (connection: number) => requests[connection % requests.length] ?? Buffer.alloc(0);
    const before = spentMs();
    const { calls, failures } = await load({ port: server.port, connections, durationMs, request, isWhole });
    if (failures > 0) throw new Error(`${failures} of ${calls} calls to ${path} have failed.`);
    return ((spentMs() - before) * 1000) / calls;
  }

  async function compare(variant: Variant, streams: boolean): Promise<Row> {
    for (const each of [chat, variant]) await drive(each, streams, warmMs);
    const rounds: [number, number][] = [];
    for (let pair = 0; pair < pairs; pair += 1) {
      // Who begins alternates, because the second of a pair finds the machine warm.
      const first = pair % 2 === 0 ? await drive(chat, streams) : Number.NaN;
      const cost = await drive(variant, streams);
      rounds.push([pair % 2 === 0 ? first : await drive(chat, streams), cost]);
    }
    const microseconds = [0, 1].map((side) => median(rounds.map((round) => round[side] ?? Number.NaN)).toFixed(0));
    return {
      name: `${variant.name}, ${streams ? 'streams' : 'JSON'}`,
      ratio: median(rounds.map(([ofChat, ofVariant]) => ofVariant / ofChat)),
      goal: variant.name === 'responses, stored' ? null : goal,
      sense: 'at most',
      figures: `${microseconds.join(' to ')} µs of processor a call, ${connections} connections`,
    };
  }

  try {
    const rows: Row[] = [];
    for (const streams of [false, true]) for (const variant of variants) rows.push(await compare(variant, streams));
    return rows;
  } finally {
    await stop();
  }
}
