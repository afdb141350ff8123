import type { question } from './hot-path.ts';
import { type LoadResult, load, median, postRequest, quantile } from './load.ts';
import { type Peer, startPeers } from './peers.ts';
import { processorMs } from './processor-time.ts';
import { bodyOf, type Proxied, requestsOf, startProxied } from './proxied.ts';
import type { Row } from './table.ts';

/**
 * Short rounds by turns, many where it is close: within seconds this machine becomes half as fast and as fast again, and
 * three long rounds told what it did meanwhile. A gateway that takes seconds for its answers needs long ones.
 */
const close = { pairs: 20, roundMs: 1000 };
const clear = { pairs: 3, roundMs: 2500 };
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
  turns: { pairs: number; roundMs: number };
  requests: (streams: boolean) => readonly Buffer[];
};
type Driven = LoadResult & { processorUs: number };

/**
 * The proxied hot path (key, project and alias looked up anew, hold, call of a remote engine that answers at once,
 * settlement on disk before the answer ends) against other gateways before the same engine, which neither check keys nor
 * charge. Rounds of ours and of each other alternate; what is told is the middle of the quotients of these pairs.
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
      for (const side of others) rows.push(toRow(one, { name: side.name, goal: 2 }, await compare(ours, side, one)));
      rows.push(toRow(one, { name: 'the engine called directly', goal: null }, await compare(ours, direct, one)));
    }
    return rows;
  } finally {
    for (const peer of peers) await peer.stop();
    await proxied.stop();
  }
}

type Compared = { ours: Driven[]; other: Driven[] };

async function compare(ours: Side, other: Side, one: Case): Promise<Compared> {
  const { pairs, roundMs } = other.turns;
  const seen: Compared = { ours: [], other: [] };
  for (let pair = 0; pair < pairs; pair += 1)
    // Who begins alternates: the second of a pair may find another machine than the first.
    for (const name of pair % 2 === 0 ? (['ours', 'other'] as const) : (['other', 'ours'] as const))
      seen[name].push(await drive(name === 'ours' ? ours : other, one, roundMs));
  return seen;
}

function sideOfOurs({ replicas, callers, databasePid }: Proxied): Side {
  const [whole, streamed] = [requestsOf(callers, { streams: false }), requestsOf(callers, { streams: true })];
  const [first = { port: 0, pid: 0 }] = replicas;
  const requests = (streams: boolean) => (streams ? streamed : whole);
  return { name: 'ours', port: first.port, pids: [first.pid, databasePid], turns: clear, requests };
}

function sideOfUpstream({ upstreamPort: port }: Proxied): Side {
  return { name: 'direct', port, pids: [], turns: clear, requests: requestsAt({}) };
}

function sideOfPeer({ name, port, pid, headers, isQuick }: Peer): Side {
  return { name, port, pids: [pid], turns: isQuick ? close : clear, requests: requestsAt(headers) };
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
  { ours, other }: Compared,
): Row {
  const rate = (results: LoadResult[]) => median(results.map(({ perSecond }) => perSecond));
  const p50 = (results: LoadResult[]) => median(results.map(({ p50Ms }) => p50Ms)).toFixed(1);
  const processor = (results: Driven[]) => median(results.map(({ processorUs }) => processorUs)).toFixed(0);
  const quotients = ours.map(({ perSecond }, pair) => perSecond / (other[pair]?.perSecond ?? Number.NaN));
  const ascending = quotients.toSorted((a, b) => a - b);
  const [low, high] = [0.25, 0.75].map((q) => quantile(ascending, q).toFixed(2));
  const failures = (results: LoadResult[]) => results.reduce((sum, result) => sum + result.failures, 0);
  return {
    name: `proxied hot path / ${name}, ${streams ? 'streams' : 'JSON'}, ${connections} connections`,
    ratio: median(quotients),
    goal,
    sense: 'at least',
    figures:
      `half of ${ours.length} pairs ${low} to ${high}; ${rate(ours).toFixed(0)}/s against ${rate(other).toFixed(0)}/s; p50 ${p50(ours)} against ${p50(other)} ms; ` +
      `${processor(ours)} against ${processor(other)} µs of processor time a call; ` +
      `${failures(ours)} and ${failures(other)} failures`,
  };
}
