import path from 'node:path';
import { grant } from '#billing';
import type { Database } from '#db';
import { insertHostedModel, openModels } from '#models';
import { seedAccount, seedKey, seedProject } from '#test/accounts.ts';
import { startBenchServer } from './child.ts';
import { startBenchDatabase } from './database.ts';
import { type LoadResult, load, median, postRequest } from './load.ts';
import type { Row } from './table.ts';

const cataloguePath = path.join(import.meta.dirname, '../models/catalogue.yaml');
const accounts = 64;
const rounds = 3;
const roundMs = 2500;
const levels = [
  { connections: 1, goal: null },
  { connections: 32, goal: null },
  { connections: 256, goal: null },
] as const;

/**
 * The whole hot path (key, project and alias looked up anew, hold, settlement committed before the answer) with an
 * engine that answers at once, against a raw `node:http` server that answers a constant of the same size. Rounds of
 * the two alternate, so that both meet the same machine.
 */
export async function benchHotPath(): Promise<Row[]> {
  const { database, url, dataDir, drop } = await startBenchDatabase();
  const requests = await seedCallers(database, dataDir);
  const ours = await startBenchServer('instant-server.ts', [url, dataDir]);
  const raw = await startBenchServer('raw-server.ts');
  try {
    const rows: Row[] = [];
    await load({ port: ours.port, connections: 32, durationMs: 3000, request: (c) => pick(requests, c) });
    await database.query('analyze');
    for (const { connections, goal } of levels) {
      const results = { ours: [] as LoadResult[], raw: [] as LoadResult[] };
      for (let round = 0; round < rounds; round++) {
        results.raw.push(
          await load({ port: raw.port, connections, durationMs: roundMs, request: (c) => pick(requests, c) }),
        );
        results.ours.push(
          await load({ port: ours.port, connections, durationMs: roundMs, request: (c) => pick(requests, c) }),
        );
      }
      rows.push(toRow(connections, goal, results));
    }
    return rows;
  } finally {
    await ours.stop();
    await raw.stop();
    await drop();
  }
}

/** Rich accounts with a chat model each, and the request that each of them sends. */
export async function seedCallers(database: Database, dataDir: string): Promise<Buffer[]> {
  const callers = await seedChats(database, { dataDir, baseModelId: 'fanfold-tiny-chat' });
  return callers.map(({ path, key }) => postRequest(path, key, question));
}

export const question = {
  model: 'chat',
  messages: [{ role: 'user', content: 'Tell me about the weather in the mountains and what to wear. '.repeat(30) }],
};

/** Where a rich account with a chat model is called, and its key. */
export type ChatCaller = { path: string; key: string };

export async function seedChats(
  database: Database,
  { dataDir, baseModelId }: { dataDir: string; baseModelId: string },
): Promise<ChatCaller[]> {
  const baseModel = openModels({ cataloguePath, dataDir }).find(baseModelId);
  if (!baseModel) throw new Error(`${baseModelId} is not in the catalogue.`);
  const callers: ChatCaller[] = [];
  for (let n = 0; n < accounts; n++) {
    const { accountId, slug } = await seedAccount(database, {});
    await grant(database, { accountId, micro: 1_000_000_000_000n, note: 'benchmark' });
    const { key } = await seedKey(database, { accountId });
    const { projectId, slug: project } = await seedProject(database, { accountId });
    await insertHostedModel(database, { projectId, alias: 'chat', baseModel, active: true });
    callers.push({ path: `/api/projects/${slug}/${project}/openai/v1/chat/completions`, key });
  }
  return callers;
}

function pick(requests: readonly Buffer[], n: number): Buffer {
  return requests[n % requests.length] ?? Buffer.alloc(0);
}

function toRow(
  connections: number,
  goal: number | null,
  { ours, raw }: { ours: LoadResult[]; raw: LoadResult[] },
): Row {
  const rate = (results: LoadResult[]) => median(results.map(({ perSecond }) => perSecond));
  const ms = (results: LoadResult[], q: 'p50Ms' | 'p99Ms') => median(results.map((result) => result[q])).toFixed(2);
  const failures = ours.reduce((sum, result) => sum + result.failures, 0);
  return {
    name: `hot path / raw node:http, ${connections} connections`,
    ratio: rate(ours) / rate(raw),
    goal,
    sense: 'at least',
    figures:
      `${rate(ours).toFixed(0)}/s against ${rate(raw).toFixed(0)}/s; p50 ${ms(ours, 'p50Ms')} ms (raw ${ms(raw, 'p50Ms')}), ` +
      `p99 ${ms(ours, 'p99Ms')} ms (raw ${ms(raw, 'p99Ms')}); ${failures} failures`,
  };
}
