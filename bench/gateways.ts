import type { question } from './hot-path.ts';
import { type LoadResult, load, median, postRequest } from './load.ts';
import { type Peer, startPeers } from './peers.ts';
import { processorMs } from './processor-time.ts';
import { bodyOf, type Proxied, requestsOf, startProxied } from './proxied.ts';
import type { Row } from './table.ts';

const rounds = 3;
const roundMs = 2500;
/** Code is still being compiled until some ten thousand calls were served. */
const warmMs = 6000;
const cases = [
  { streams: false, connections: 32 },
  { streams: false, connections: 256 },
  { streams: true, connections: 32 },
  { streams: true, connections: 256 },
] as const;
type Case = (typeof cases)[number];

/** Who is driven: a port, and what its callers send. */
type Side = {
  name: string;
  port: number;
  /** Whose processor time it takes. */
  pids: readonly number[];
  requests: (streams: boolean) => readonly Buffer[];
};
type Driven = LoadResult & { processorUs: number };

/**
 * The proxied hot path (key, project and alias looked up anew, hold, call of a remote engine that answers at once,
 * settlement on disk before the answer ends) against other gateways before the same engine, which neither check keys nor
 * charge. Rounds of all sides alternate.
 */
export async function benchGateways(): Promise<Row[]> {
  const proxied = await startProxied();
  const peers = await startPeers(proxied.upstreamPort);
  try {
    const [ours, direct] = [sideOfOurs(proxied), sideOfUpstream(proxied)];
    const others = peers.map(sideOfPeer);
    const rows: Row[] = [];
    for (const each of [ours, direct, ...others])
      for (const streams of [false, true]) await drive(each, { streams, connections: 32 }, warmMs);
    for (const one of cases) {
      const results = new Map<Side, Driven[]>([ours, direct, ...others].map((side) => [side, []]));
      for (let round = 0; round < rounds; round += 1)
        for (const [side, seen] of results) seen.push(await drive(side, one, roundMs));
      const against = (side: Side) => ({ ours: results.get(ours) ?? [], other: results.get(side) ?? [] });
      for (const side of others) rows.push(toRow(one, { name: side.name, goal: 3 }, against(side)));
      rows.push(toRow(one, { name: 'the engine called directly', goal: null }, against(direct)));
    }
    return rows;
  } finally {
    for (const peer of peers) await peer.stop();
    await proxied.stop();
  }
}

function sideOfOurs({ replicas, callers, databasePid }: Proxied): Side {
  const [whole, streamed] = [requestsOf(callers, { streams: false }), requestsOf(callers, { streams: true })];
  const [first = { port: 0, pid: 0 }] = replicas;
  const requests = (streams: boolean) => (streams ? streamed : whole);
  return { name: 'ours', port: first.port, pids: [first.pid, databasePid], requests };
}

function sideOfUpstream({ upstreamPort: port }: Proxied): Side {
  return { name: 'direct', port, pids: [], requests: requestsAt({}) };
}

function sideOfPeer({ name, port, pid, headers }: Peer): Side {
  return { name, port, pids: [pid], requests: requestsAt(headers) };
}

function requestsAt(headers: Record<string, string>): Side['requests'] {
  const at = (body: typeof question) => [postRequest('/v1/chat/completions', 'none', body, headers)];
  const [whole, streamed] = [at(bodyOf({ streams: false })), at(bodyOf({ streams: true }))];
  return (streams) => (streams ? streamed : whole);
}

async function drive(
  { port, pids, requests }: Side,
  { streams, connections }: { streams: boolean; connections: number },
  durationMs: number,
): Promise<Driven> {
  const all = requests(streams);
  const request = (connection: number) => all[connection % all.length] ?? Buffer.alloc(0);
  const before = processorMs(pids);
  const result = await load({ port, connections, durationMs, request });
  return { ...result, processorUs: ((processorMs(pids) - before) * 1000) / result.calls };
}

function toRow(
  { streams, connections }: Case,
  { name, goal }: { name: string; goal: number | null },
  { ours, other }: { ours: Driven[]; other: Driven[] },
): Row {
  const rate = (results: LoadResult[]) => median(results.map(({ perSecond }) => perSecond));
  const p50 = (results: LoadResult[]) => median(results.map(({ p50Ms }) => p50Ms)).toFixed(1);
  const processor = (results: Driven[]) => median(results.map(({ processorUs }) => processorUs)).toFixed(0);
  const failures = (results: LoadResult[]) => results.reduce((sum, result) => sum + result.failures, 0);
  return {
    name: `proxied hot path / ${name}, ${streams ? 'streams' : 'JSON'}, ${connections} connections`,
    ratio: rate(ours) / rate(other),
    goal,
    sense: 'at least',
    figures:
      `${rate(ours).toFixed(0)}/s against ${rate(other).toFixed(0)}/s; p50 ${p50(ours)} against ${p50(other)} ms; ` +
      `${processor(ours)} against ${processor(other)} µs of processor time a call; ` +
      `${failures(ours)} and ${failures(other)} failures`,
  };
}
