import type { question } from './hot-path.ts';
import { type LoadResult, load, median, postRequest } from './load.ts';
import { type Peer, startPeers } from './peers.ts';
import { bodyOf, type Proxied, requestsOf, startProxied } from './proxied.ts';
import type { Row } from './table.ts';

const rounds = 3;
const roundMs = 2500;
const warmMs = 2000;
const cases = [
  { streams: false, connections: 32 },
  { streams: false, connections: 256 },
  { streams: true, connections: 32 },
  { streams: true, connections: 256 },
] as const;
type Case = (typeof cases)[number];

/** Who is driven: a port, and what its callers send. */
type Side = { name: string; port: number; requests: (streams: boolean) => readonly Buffer[] };

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
      const results = new Map<Side, LoadResult[]>([ours, direct, ...others].map((side) => [side, []]));
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

function sideOfOurs({ replicas, callers }: Proxied): Side {
  const [whole, streamed] = [requestsOf(callers, { streams: false }), requestsOf(callers, { streams: true })];
  return { name: 'ours', port: replicas[0]?.port ?? 0, requests: (streams) => (streams ? streamed : whole) };
}

function sideOfUpstream({ upstreamPort: port }: Proxied): Side {
  return { name: 'direct', port, requests: requestsAt({}) };
}

function sideOfPeer({ name, port, headers }: Peer): Side {
  return { name, port, requests: requestsAt(headers) };
}

function requestsAt(headers: Record<string, string>): Side['requests'] {
  const at = (body: typeof question) => [postRequest('/v1/chat/completions', 'none', body, headers)];
  const [whole, streamed] = [at(bodyOf({ streams: false })), at(bodyOf({ streams: true }))];
  return (streams) => (streams ? streamed : whole);
}

function drive(
  { port, requests }: Side,
  { streams, connections }: Case | { streams: boolean; connections: number },
  durationMs: number,
) {
  const all = requests(streams);
  const request = (connection: number) => all[connection % all.length] ?? Buffer.alloc(0);
  return load({ port, connections, durationMs, request });
}

function toRow(
  { streams, connections }: Case,
  { name, goal }: { name: string; goal: number | null },
  { ours, other }: { ours: LoadResult[]; other: LoadResult[] },
): Row {
  const rate = (results: LoadResult[]) => median(results.map(({ perSecond }) => perSecond));
  const p50 = (results: LoadResult[]) => median(results.map(({ p50Ms }) => p50Ms)).toFixed(1);
  const failures = (results: LoadResult[]) => results.reduce((sum, result) => sum + result.failures, 0);
  return {
    name: `proxied hot path / ${name}, ${streams ? 'streams' : 'JSON'}, ${connections} connections`,
    ratio: rate(ours) / rate(other),
    goal,
    sense: 'at least',
    figures:
      `${rate(ours).toFixed(0)}/s against ${rate(other).toFixed(0)}/s; p50 ${p50(ours)} against ${p50(other)} ms; ` +
      `${failures(ours)} and ${failures(other)} failures`,
  };
}
