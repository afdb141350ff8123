import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Database, migrate, openDatabase, startEmbedded } from '#db';
import { startS3Server } from '#test/object-server.ts';
import { overNetwork } from '#test/over-network.ts';
import { pythonProgram } from '#test/python.ts';
import { type Balancer, startBalancer } from './balancer.ts';
import type { Machine } from './machine.ts';
import { type Network, openNetwork, type Place } from './network.ts';
import { createRayHead, type RayHead } from './ray-head.ts';
import { startRelay } from './relay.ts';
import { addRoute, createRemoteEngine } from './remote-engine.ts';
import { Replica } from './replica.ts';

/** All that a run has: machines, and what they share. */
export type Stage = {
  network: Network;
  balancer: Balancer;
  database: Database;
  /** Of PostgreSQL at present. */
  postgresPid: () => number | undefined;
  replicas: readonly Replica[];
  worker: Replica;
  engine: Machine;
  ray: Machine;
  /** The first key. */
  key: string;
};

const replicaCount = 3;
const others = 3;

/** Builds it up; `parts` takes it down. */
export async function openStage(parts: AsyncDisposableStack, report: (line: string) => void): Promise<Stage> {
  // A short path: Ray has sockets below it.
  const folder = await mkdtemp(path.join(tmpdir(), 'ff-'));
  parts.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 20 }));
  const server = await startEmbedded({ dataDir: path.join(folder, 'database') });
  parts.defer(server.stop);
  const database = await openDatabase({ url: server.url, maxConnections: 4 });
  parts.defer(database.close);
  await migrate(database);
  const network = await openNetwork(replicaCount + others, report);
  parts.defer(network.close);
  const placeOf = placesOf(network);
  const keep = (machine: Machine) => parts.defer(() => machine.remove());

  const engine = createRemoteEngine(placeOf(replicaCount));
  const ray = await createRayHead(placeOf(replicaCount + 1), path.join(folder, 'ray'));
  for (const machine of [engine, ray.machine]) {
    keep(machine);
    await machine.start();
  }
  const environment = {
    ...(await reachable(parts, { network, databaseUrl: overNetwork(server.url) })),
    ...(await trainingThere(ray, path.join(folder, 'shared'))),
    FANFOLD_TRUSTED_PROXIES: network.hub,
    FANFOLD_ENGINE_THREADS: '1',
  };
  const homeOf = (name: string) => ({ name, dataDir: path.join(folder, name), environment });
  const replicas = Array.from(
    { length: replicaCount },
    (_, n) => new Replica({ ...homeOf(`replica-${n + 1}`), place: placeOf(n) }),
  );
  const worker = new Replica({ ...homeOf('worker-1'), place: placeOf(replicaCount + 2), role: 'worker' });
  for (const replica of [...replicas, worker]) {
    keep(replica);
    await replica.start();
  }
  await addRoute(engine, { DATABASE_URL: server.url, FANFOLD_DATA_DIR: path.join(folder, 'replica-1') });
  const key = replicas.map((replica) => replica.key).find((each) => each !== null);
  if (!key) throw new Error('No replica printed the first key.');
  const balancer = await startBalancer(
    replicas.map(({ place }) => place),
    report,
  );
  parts.defer(balancer.close);
  return { network, balancer, database, postgresPid: server.pid, replicas, worker, engine, ray: ray.machine, key };
}

function placesOf({ places }: Network): (n: number) => Place {
  return (n) => {
    const place = places[n];
    if (!place) throw new Error(`There is no place ${n}.`);
    return place;
  };
}

/** PostgreSQL and the object store listen on loopback; machines reach them through relays on the bridge. */
async function reachable(
  parts: AsyncDisposableStack,
  { network, databaseUrl }: { network: Network; databaseUrl: string },
): Promise<Record<string, string>> {
  const objects = await startS3Server();
  parts.defer(objects.stop);
  const through = async (address: string) => {
    const url = new URL(address);
    if (network.kind === 'ports') return url;
    const relay = await startRelay(network.hub, [{ host: url.hostname, port: Number(url.port) }]);
    parts.defer(relay.close);
    url.hostname = network.hub;
    url.port = String(relay.port);
    return url;
  };
  return {
    DATABASE_URL: (await through(databaseUrl)).href,
    FANFOLD_OBJECT_STORE: `s3://${objects.bucket}/${objects.prefix}`,
    FANFOLD_S3_ENDPOINT: (await through(objects.endpoint ?? '')).origin,
    FANFOLD_S3_ACCESS_KEY_ID: objects.credentials?.accessKeyId ?? '',
    FANFOLD_S3_SECRET_ACCESS_KEY: objects.credentials?.secretAccessKey ?? '',
  };
}

async function trainingThere({ url, token }: RayHead, shared: string): Promise<Record<string, string>> {
  await mkdir(shared);
  return {
    FANFOLD_TRAINING_RUNNER: 'ray',
    FANFOLD_RAY_URL: url,
    FANFOLD_RAY_TOKEN: token,
    FANFOLD_RAY_FOLDER: shared,
    FANFOLD_RAY_CPUS: '1',
    FANFOLD_TRAINING_PYTHON: await pythonProgram('python'),
    FANFOLD_TRAINING_LEASE_SECONDS: '6',
    FANFOLD_TRAINING_CHECKPOINT_SECONDS: '1',
  };
}
