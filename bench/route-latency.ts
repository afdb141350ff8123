import http from 'node:http';
import { median, quantile } from './load.ts';
import { bodyOf, startProxied } from './proxied.ts';
import { streamOnce } from './streams.ts';
import type { Row } from './table.ts';

const rounds = 400;
const warmRounds = 200;

/**
 * What a serving route adds to the first byte of a stream: one call at a time through the program, and one to the same
 * engine directly, by turns. The program's part holds key, project and alias, and the hold.
 */
export async function benchRouteLatency(): Promise<Row[]> {
  const proxied = await startProxied();
  const agent = new http.Agent({ keepAlive: true });
  try {
    const [caller] = proxied.callers;
    const [replica] = proxied.replicas;
    if (!caller || !replica) throw new Error('Nobody was made to call. This is a bug.');
    const body = { ...bodyOf({ streams: true }), stream_options: { include_usage: true } };
    const through = { url: `http://127.0.0.1:${replica.port}${caller.path}`, key: caller.key, agent, body };
    const direct = { ...through, url: `http://127.0.0.1:${proxied.upstreamPort}/v1/chat/completions` };
    const times = { through: [] as number[], direct: [] as number[], added: [] as number[] };
    for (let round = -warmRounds; round < rounds; round += 1) {
      const ofDirect = (await streamOnce(direct)).firstMs;
      const ofThrough = (await streamOnce(through)).firstMs;
      if (round < 0) continue;
      times.direct.push(ofDirect);
      times.through.push(ofThrough);
      times.added.push(ofThrough - ofDirect);
    }
    times.added.sort((a, b) => a - b);
    return [
      {
        name: 'time to first byte added by a serving route, p50 in ms',
        ratio: median(times.added),
        goal: 2,
        sense: 'at most',
        figures:
          `through ${median(times.through).toFixed(2)} ms, direct ${median(times.direct).toFixed(2)} ms; ` +
          `p90 added ${quantile(times.added, 0.9).toFixed(2)}, p99 ${quantile(times.added, 0.99).toFixed(2)} ms`,
      },
    ];
  } finally {
    agent.destroy();
    await proxied.stop();
  }
}
