import { type LoadResult, load, median } from './load.ts';
import { type Proxied, requestsOf, startProxied } from './proxied.ts';
import type { Row } from './table.ts';

const rounds = 5;
const roundMs = 3000;
const warmMs = 3000;
const levels = [32, 256] as const;

/**
 * What two replicas lose to coordination: calls per second of both together, with half of the connections each, against
 * one of them with all. Both run all the time, on one database and the same two cores; rounds alternate.
 */
export async function benchReplicas(): Promise<Row[]> {
  const proxied = await startProxied({ replicas: 2 });
  try {
    const requests = requestsOf(proxied.callers, { streams: false });
    const [first, second] = proxied.replicas;
    if (!first || !second) throw new Error('There are not two replicas. This is a bug.');
    for (const replica of [first, second]) await driveAll([replica], { requests, connections: 32, durationMs: warmMs });
    const rows: Row[] = [];
    for (const connections of levels) {
      const one: number[] = [];
      const two: number[] = [];
      let failures = 0;
      const measure = async (replicas: Proxied['replicas'], rates: number[]) => {
        const results = await driveAll(replicas, { requests, connections, durationMs: roundMs });
        rates.push(results.reduce((sum, { perSecond }) => sum + perSecond, 0));
        failures += results.reduce((sum, result) => sum + result.failures, 0);
      };
      for (let round = 0; round < rounds; round += 1) {
        await measure([round % 2 === 0 ? first : second], one);
        await measure([first, second], two);
      }
      rows.push({
        name: `two replicas / one, ${connections} connections in all`,
        ratio: median(two) / median(one),
        goal: 0.9,
        sense: 'at least',
        figures: `${median(two).toFixed(0)}/s against ${median(one).toFixed(0)}/s; ${failures} failures`,
      });
    }
    return rows;
  } finally {
    await proxied.stop();
  }
}

type Drive = { requests: readonly Buffer[]; connections: number; durationMs: number };

/** The same total load on one replica or several; every caller is on every replica. */
function driveAll(replicas: Proxied['replicas'], { requests, connections, durationMs }: Drive): Promise<LoadResult[]> {
  const each = connections / replicas.length;
  const request = (connection: number) => requests[connection % requests.length] ?? Buffer.alloc(0);
  return Promise.all(replicas.map(({ port }) => load({ port, connections: each, durationMs, request })));
}
