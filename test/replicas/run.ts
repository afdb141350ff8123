import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '#db';
import { seededRandom } from '#test/random.ts';
import { type Audit, auditBooks } from '../chaos/accounting.ts';
import { runClients, type Seen } from '../chaos/clients.ts';
import { cutOff, type Fault, frozen, killed, lost, rolled, shuffled, slowed } from './faults.ts';
import { makeKey, watchKeys } from './keys.ts';
import { measureLimit } from './limits.ts';
import { askWhatBecame } from './outcomes.ts';
import { longestPauses, type Struck } from './pauses.ts';
import { type Findings, promisesBroken } from './promises.ts';
import { remoteModel } from './remote-engine.ts';
import { openStage, type Stage } from './stage.ts';
import { callUntilAnswered } from './steadfast.ts';
import { beginTraining } from './training.ts';

export type ReplicasOptions = {
  /** All faults come once in each. */
  rounds: number;
  clients: number;
  jobs: number;
  seed: number;
  report: (line: string) => void;
};

export type ReplicasReport = Findings & { broken: string[] };

const calmMs = 3_000;
const steadfastCallers = 2;

/**
 * Three servers and a worker on one PostgreSQL behind a load balancer, with a remote engine and a Ray cluster, each as on a machine of
 * its own. While clients call and jobs learn, each of them is cut off, killed or frozen; then books, keys, limits and jobs must be
 * as if nothing had been.
 */
export async function runReplicas(options: ReplicasOptions): Promise<ReplicasReport> {
  const { rounds, clients, jobs, seed, report } = options;
  await using parts = new AsyncDisposableStack();
  const stage = await openStage(parts, report);
  const { database, key, replicas, network, balancer } = stage;
  const { url } = balancer;
  report(`${replicas.length} replicas, a worker, a remote engine and Ray in ${network.kind} behind ${balancer.kind}`);
  report(`${clients} clients, ${steadfastCallers} steadfast ones, ${jobs} jobs, seed ${seed}`);

  const stop = new AbortController();
  parts.defer(async () => stop.abort());
  // Generators of their own: what is broken, and when, must not depend on how fast the callers are.
  const [ofFaults, ofCalls, ofKeys] = [seededRandom(seed), seededRandom(seed + 1), seededRandom(seed + 2)];
  const access = { url, key, replicas, random: ofKeys };
  const own = await makeKey(access);
  if (!own) throw new Error('No key could be made.');
  const training = await beginTraining({ database, key, jobs }, ofFaults.pick(replicas));
  const next = () => ofCalls.integer(1_000_000) / 1_000_000;
  const calls = runClients({ url: () => url, key, clients, signal: stop.signal, random: next, remoteModel });
  const steady = callUntilAnswered({ url, key: own.key, callers: steadfastCallers, remoteModel }, stop.signal);
  const endKeys = await watchKeys(access, stop.signal);
  await sleep(calmMs);
  const struck: Struck[] = [];
  for (let round = 0; round < rounds; round += 1)
    for (const fault of shuffled(faultsOf(stage), ofFaults)) {
      const fromMs = Date.now();
      const what = `${fault.name}: ${await fault.strike(ofFaults)}`;
      await sleep(calmMs);
      struck.push({ what, fromMs, toMs: Date.now() });
      report(`${what}; ${await training.left()} jobs left`);
    }
  stop.abort();
  const [seen, steadfast] = await Promise.all([calls, steady]);
  const keys = await endKeys();
  report('nothing breaks any more; waiting for the jobs');
  const judged = await training.judged(ofFaults.pick(replicas));
  // First: the calls under a limit are not among those that were seen.
  const books = await settledBooks(database, seen);
  const found: Findings = {
    books,
    outcomes: await askWhatBecame({ url, key, database }, seen),
    remote: { successes: seen.filter(({ isRemote, result }) => isRemote && result === 'success').length },
    pauses: longestPauses(struck, seen),
    steadfast: { ...steadfast, charges: await chargesOf(database, own.id) },
    keys,
    limit: await measureLimit({ url, key }),
    jobs: { ...judged, asked: jobs },
  };
  const broken = promisesBroken(found);
  if (broken.length > 0)
    for (const { name, output } of [...replicas, stage.worker, stage.engine, stage.ray])
      report(`--- ${name}\n${output.slice(-4_000)}`);
  return { ...found, broken };
}

function faultsOf({ replicas, worker, engine, ray, database, postgresPid }: Stage): Fault[] {
  const answers = () =>
    database.query('select 1').then(
      () => true,
      () => false,
    );
  return [
    ...[cutOff(replicas), killed(replicas), frozen(replicas), slowed(replicas), rolled(replicas)],
    ...[killed([worker]), frozen([worker])],
    ...[cutOff([engine]), killed([engine]), frozen([engine])],
    ...[cutOff([ray]), killed([ray])],
    lost({ name: 'postgres', pid: postgresPid, answers }),
  ];
}

async function chargesOf(database: Database, keyId: string): Promise<number> {
  const rows = await database.query("select 1 from ledger where type = 'inference' and key_id = $1", [keyId]);
  return rows.length;
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
