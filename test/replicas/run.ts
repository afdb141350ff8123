import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Database, migrate, openDatabase, startEmbedded } from '#db';
import { seededRandom } from '#test/random.ts';
import { type Audit, auditBooks } from '../chaos/books.ts';
import { runClients, type Seen } from '../chaos/clients.ts';
import { startBalancer } from './balancer.ts';
import { faults, shuffled } from './faults.ts';
import { type KeyReport, watchKeys } from './keys.ts';
import { type LimitReport, measureLimit } from './limits.ts';
import { openNetwork } from './network.ts';
import { startRelay } from './relay.ts';
import { Replica } from './replica.ts';

export type ReplicasOptions = {
  /** All faults come once in each. */
  rounds: number;
  clients: number;
  seed: number;
  report: (line: string) => void;
};

export type ReplicasReport = { books: Audit; keys: KeyReport; limit: LimitReport; broken: string[] };

const replicaCount = 3;
const calmMs = 3_000;

/**
 * Three servers on one PostgreSQL behind a load balancer, each as on a machine of its own. While clients call, one is cut
 * off, killed, frozen, slowed, and all are started anew by turns; then books, keys and limits must be as if nothing had been.
 */
export async function runReplicas({ rounds, clients: count, seed, report }: ReplicasOptions): Promise<ReplicasReport> {
  const random = seededRandom(seed);
  await using parts = new AsyncDisposableStack();
  const dataDir = await mkdtemp(path.join(tmpdir(), 'fanfold-replicas-'));
  parts.defer(() => rm(dataDir, { recursive: true, force: true, maxRetries: 5 }));
  const server = await startEmbedded({ dataDir });
  parts.defer(server.stop);
  const database = await openDatabase({ url: server.url, maxConnections: 4 });
  parts.defer(database.close);
  await migrate(database);
  const network = await openNetwork(replicaCount, report);
  parts.defer(network.close);
  const replicas = await startReplicas(parts, { network, databaseUrl: server.url });
  const key = replicas.map((replica) => replica.key).find((each) => each !== null);
  if (!key) throw new Error('No replica printed the first key.');
  const balancer = await startBalancer(
    replicas.map(({ place }) => place),
    report,
  );
  parts.defer(balancer.close);
  report(`${replicaCount} replicas in ${network.kind} behind ${balancer.kind}, ${count} clients, seed ${seed}`);

  const stop = new AbortController();
  parts.defer(async () => stop.abort());
  const { url } = balancer;
  // Generators of their own: what is broken, and when, must not depend on how fast the callers are.
  const [ofCalls, ofKeys] = [seededRandom(seed + 1), seededRandom(seed + 2)];
  const next = () => ofCalls.integer(1_000_000) / 1_000_000;
  const calls = runClients({ url: () => url, key, clients: count, signal: stop.signal, random: next });
  const endKeys = await watchKeys({ url, key, replicas, random: ofKeys }, stop.signal);
  await sleep(calmMs);
  for (let round = 0; round < rounds; round += 1)
    for (const fault of shuffled(faults, random)) {
      report(`${fault.name}: ${await fault.strike(replicas, random)}`);
      await sleep(calmMs);
    }
  stop.abort();
  const seen = await calls;
  const keys = await endKeys();
  // First: the calls under a limit are not among those that were seen.
  const books = await settledBooks(database, seen);
  const limit = await measureLimit({ url, key });
  return { books, keys, limit, broken: promisesBroken({ books, keys, limit }) };
}

type Stage = { network: Awaited<ReturnType<typeof openNetwork>>; databaseUrl: string };

/** PostgreSQL listens on loopback; replicas in namespaces reach it through a relay on the bridge. */
async function startReplicas(parts: AsyncDisposableStack, { network, databaseUrl }: Stage): Promise<Replica[]> {
  const url = new URL(databaseUrl);
  if (network.kind === 'namespaces') {
    const relay = await startRelay(network.hub, [{ host: url.hostname, port: Number(url.port) }]);
    parts.defer(relay.close);
    url.hostname = network.hub;
    url.port = String(relay.port);
  }
  const environment = { DATABASE_URL: url.href, FANFOLD_TRUSTED_PROXIES: network.hub };
  const replicas = network.places.map((place, n) => new Replica(`replica-${n + 1}`, place, environment));
  for (const replica of replicas) parts.defer(() => replica.remove());
  for (const replica of replicas) await replica.start();
  return replicas;
}

/** The books once everything in flight has been settled, or swept as of a process that died. */
async function settledBooks(database: Database, seen: readonly Seen[]): Promise<Audit> {
  const deadline = Date.now() + 60_000;
  let audit = await auditBooks(database, seen);
  while (audit.findings.length > 0 && Date.now() < deadline) {
    await sleep(1_000);
    audit = await auditBooks(database, seen);
  }
  return audit;
}

function promisesBroken({ books, keys, limit }: Omit<ReplicasReport, 'broken'>): string[] {
  const promises: [boolean, string][] = [
    [books.unpaid === 0, `${books.unpaid} successes were not charged`],
    [books.double === 0, `${books.double} calls were charged twice`],
    [books.wronglyPaid === 0, `${books.wronglyPaid} failures were charged`],
    [books.rejectedKeys === 0, `${books.rejectedKeys} calls with a good key were refused as unknown`],
    [books.findings.length === 0, `the doctor found ${books.findings.length} problems`],
    [books.successes > 0, 'no call succeeded'],
    [keys.revived.length === 0, `deleted keys let in by ${keys.revived.join(', ')}`],
    [keys.deleted > 0, 'no key was deleted'],
    [limit.passed === limit.allowed, `${limit.passed} calls passed a limit of ${limit.allowed}`],
    [limit.other === 0, `${limit.other} calls under a limit had another end`],
    [limit.stillRunning === 0, `${limit.stillRunning} ended calls count as running`],
  ];
  return promises.filter(([isKept]) => !isKept).map(([, text]) => text);
}
