import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { load, median, quantile } from './load.ts';
import { processorMs } from './processor-time.ts';
import type * as proxiedModule from './proxied.ts';

/**
 * `npm run by-turns -- TREE TREE`: the proxied hot path of two checkouts in pairs of short rounds by turns. On a machine
 * whose speed changes from minute to minute no other comparison tells small differences; a checkout against itself tells
 * how small. What counts is the middle of the quotients of the pairs, and where four of five such middles would lie.
 * A TREE may end in `@NAME=value,...`, more variables of its server's environment.
 */
type Round = { callsPerSecond: number; processorUs: number; serverUs: number; databaseUs: number; failures: number };
type Case = { streams: boolean; connections: number };
type Checkout = { drive: (one: Case) => Promise<Round>; stop: () => Promise<void> };

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    pairs: { type: 'string', default: '24' },
    'round-ms': { type: 'string', default: '800' },
    'warm-ms': { type: 'string', default: '8000' },
    /** Of `json` or `streams`, and connections. */
    case: { type: 'string', multiple: true, default: ['json-32'] },
  },
});
const pairs = Number(values.pairs);
const roundMs = Number(values['round-ms']);
const warmMs = Number(values['warm-ms']);
const cases = values.case.map((name): Case => {
  const [kind, connections] = name.split('-');
  return { streams: kind === 'streams', connections: Number(connections) };
});

async function openCheckout(tree: string): Promise<Checkout> {
  const [folder = '', variables = ''] = tree.split('@');
  const environment = Object.fromEntries(
    variables
      .split(',')
      .filter(Boolean)
      .map((each) => each.split(/=(.*)/s)),
  );
  // Each checkout starts its own program, with its own modules.
  const module = pathToFileURL(path.resolve(folder, 'bench/proxied.ts')).href;
  const { startProxied, requestsOf } = (await import(module)) as typeof proxiedModule;
  Object.assign(process.env, environment);
  const { replicas, callers, databasePid, stop } = await startProxied();
  for (const name of Object.keys(environment)) delete process.env[name];
  const [server = { port: 0, pid: 0 }] = replicas;
  const [whole, streamed] = [requestsOf(callers, { streams: false }), requestsOf(callers, { streams: true })];

  async function drive({ streams, connections }: Case, durationMs = roundMs): Promise<Round> {
    const requests = streams ? streamed : whole;
    const request = (connection: number) => requests[connection % requests.length] ?? Buffer.alloc(0);
    const spent = () => [processorMs([server.pid]), processorMs([databasePid])] as const;
    const before = spent();
    const { calls, perSecond, failures } = await load({ port: server.port, connections, durationMs, request });
    const [serverUs = 0, databaseUs = 0] = spent().map((ms, n) => ((ms - (before[n] ?? 0)) * 1000) / calls);
    return { callsPerSecond: perSecond, processorUs: serverUs + databaseUs, serverUs, databaseUs, failures };
  }

  for (const one of cases) await drive(one, warmMs / cases.length);
  return { drive, stop };
}

/** Where the middle of as many quotients would lie in four of five runs, by drawing from these. */
function rangeOfMedian(quotients: readonly number[]): readonly [number, number] {
  const draw = () => quotients[Math.floor(Math.random() * quotients.length)] ?? Number.NaN;
  const medians = Array.from({ length: 2000 }, () => median(quotients.map(draw))).sort((a, b) => a - b);
  return [quantile(medians, 0.1), quantile(medians, 0.9)];
}

function tell({ streams, connections }: Case, [ours, others]: readonly [Round[], Round[]]): void {
  const failures = [...ours, ...others].reduce((sum, round) => sum + round.failures, 0);
  console.log(
    `${streams ? 'streams' : 'JSON'}, ${connections} connections, ${ours.length} pairs, ${failures} failures`,
  );
  for (const name of ['callsPerSecond', 'processorUs', 'serverUs', 'databaseUs'] as const) {
    const of = (rounds: Round[]) => rounds.map((round) => round[name]);
    const quotients = of(others).map((value, n) => value / (of(ours)[n] ?? Number.NaN));
    const [low, high] = rangeOfMedian(quotients);
    const middle = [median(of(ours)), median(of(others))].map((value) => value.toFixed(0)).join(' to ');
    console.log(
      `  ${name.padEnd(15)} ${middle.padEnd(14)} ${median(quotients).toFixed(3)} (${low.toFixed(3)} to ${high.toFixed(3)})`,
    );
  }
}

const [firstTree, secondTree] = positionals;
if (!firstTree || !secondTree) throw new Error('Two checkouts are compared: npm run by-turns -- . ../other');
const first = await openCheckout(firstTree);
const second = await openCheckout(secondTree);
for (const one of cases) {
  const rounds: [Round[], Round[]] = [[], []];
  for (let pair = 0; pair < pairs; pair += 1)
    // Who begins alternates, because the second of a pair finds the machine warm.
    for (const side of pair % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const))
      rounds[side].push(await (side === 0 ? first : second).drive(one));
  tell(one, rounds);
}
await first.stop();
await second.stop();
