import { putRoute, type ServingRouteRow } from '#models';
import { postmasterOf } from '#test/processes.ts';
import { type Program, startProgram } from '#test/program.ts';
import { startBenchServer } from './child.ts';
import { startBenchDatabase } from './database.ts';
import { type ChatCaller, question, seedChats } from './hot-path.ts';
import { postRequest } from './load.ts';

/** The real program, once or more often on one database, in front of a remote engine that answers at once. */
export type Proxied = {
  replicas: readonly { port: number; pid: number }[];
  /** Of the engine itself. */
  upstreamPort: number;
  databasePid: number;
  /** One for each of some rich accounts. */
  callers: readonly ChatCaller[];
  stop: () => Promise<void>;
};

/** In the catalogue, but not installed: it is served by its route or not at all. */
const baseModelId = 'qwen3-0.6b';

export async function startProxied({ replicas: count = 1 } = {}): Promise<Proxied> {
  await using started = new AsyncDisposableStack();
  const { database, url, dataDir, drop } = await startBenchDatabase();
  started.defer(drop);
  const upstream = await startBenchServer('instant-upstream.ts');
  started.defer(upstream.stop);
  await putRoute(database, routeTo(upstream.port));
  const programs: Program[] = [];
  for (let n = 0; n < count; n += 1) {
    const program = await startProgram({ databaseUrl: url });
    started.defer(async () => void (await program.stop()));
    programs.push(program);
  }
  const callers = await seedChats(database, { dataDir, baseModelId });
  await database.query('analyze');
  const all = started.move();
  return {
    replicas: programs.map(({ url: address, process }) => ({ port: portOf(address), pid: process.pid ?? 0 })),
    upstreamPort: upstream.port,
    databasePid: postmasterOf(dataDir),
    callers,
    stop: () => all.disposeAsync(),
  };
}

function routeTo(port: number): ServingRouteRow {
  return {
    id: 'instant',
    url: `http://127.0.0.1:${port}/v1`,
    baseModelId,
    api: 'openai',
    upstreamModel: 'chat',
    secretSource: null,
    // More than any benchmark sends at a time: nobody is refused.
    capacity: 1024,
    weight: 1,
    draining: false,
  };
}

const portOf = (url: string) => Number(new URL(url).port);

/** The raw requests of all callers. */
export function requestsOf(callers: readonly ChatCaller[], { streams }: { streams: boolean }): Buffer[] {
  return callers.map(({ path, key }) => postRequest(path, key, bodyOf({ streams })));
}

export function bodyOf({ streams }: { streams: boolean }) {
  return streams ? { ...question, stream: true } : question;
}
