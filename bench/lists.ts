import { performance } from 'node:perf_hooks';
import { bearer } from '#test/accounts.ts';
import { startApp, type TestApp } from '#test/app.ts';
import { startBenchServer } from './child.ts';
import { type BenchDatabase, startBenchDatabase } from './database.ts';
import { seedCallers } from './hot-path.ts';
import { load, median, quantile } from './load.ts';
import { fullScale, type Scale, type Seeded, seedDatabase, seedNothing } from './seed.ts';
import type { Row } from './table.ts';

const warmUps = 5;
const asks = 60;
const deepPages = 100;
const hotRounds = 5;

/**
 * Lists, usage and dashboard of an account with most of a million ledger rows, 100,000 keys and 10,000 projects against
 * those of one with nothing, both over HTTP, asked in turn; pages far behind against first pages; and calls of models
 * in the full database against calls in the empty one.
 */
export async function benchLists(scale: Scale = fullScale): Promise<Row[]> {
  const full = await startBenchDatabase();
  const empty = await startBenchDatabase();
  try {
    const places = { full: await seedDatabase(full.database, scale), empty: await seedNothing(empty.database) };
    return [...(await compareRoutes(full, empty, places)), await compareCalls(full, empty)];
  } finally {
    await full.drop();
    await empty.drop();
  }
}

type Places = { full: Seeded; empty: Seeded };
type Asked = { app: TestApp; place: Seeded };

async function compareRoutes(full: BenchDatabase, empty: BenchDatabase, places: Places): Promise<Row[]> {
  const options = { watched: false };
  const apps = { full: await startApp(full.database, options), empty: await startApp(empty.database, options) };
  const both = {
    full: { app: apps.full, place: places.full },
    empty: { app: apps.empty, place: places.empty },
  };
  try {
    const rows: Row[] = [];
    for (const [name, pathOf] of Object.entries(routes)) rows.push(await compareRoute(name, pathOf, both));
    for (const list of deepLists) rows.push(await compareDepth(list, both.full));
    return rows;
  } finally {
    await apps.full.stop();
    await apps.empty.stop();
  }
}

const routes: Record<string, (place: Seeded) => string> = {
  keys: () => '/api/v1/keys',
  projects: () => '/api/v1/projects',
  'projects by words': () => '/api/v1/projects?q=project-1',
  'one project': ({ busyProject }) => `/api/v1/projects/${busyProject}`,
  'hosted models': ({ busyProject }) => `/api/v1/projects/${busyProject}/hosted-models`,
  registry: () => '/api/v1/models',
  activity: () => '/api/v1/activity',
  credits: () => '/api/v1/credits',
  usage: () => '/api/v1/credits/usage',
  'usage of a busy project': ({ busyProject }) => `/api/v1/credits/usage?project=${busyProject}`,
  'usage of a rare project': ({ rareProject }) => `/api/v1/credits/usage?project=${rareProject}`,
  'usage of a busy key': ({ busyKeyId }) => `/api/v1/credits/usage?key_id=${busyKeyId}`,
  'usage of a rare key': ({ rareKeyId }) => `/api/v1/credits/usage?key_id=${rareKeyId}`,
  'usage of a rare model': ({ rareModel }) => `/api/v1/credits/usage?model=${rareModel}`,
  'summary by day': () => '/api/v1/credits/usage/summary?group_by=day',
  'summary by model': () => '/api/v1/credits/usage/summary?group_by=model',
  'summary by key': () => '/api/v1/credits/usage/summary?group_by=key',
  'summary by project': () => '/api/v1/credits/usage/summary?group_by=project',
  'dashboard, 7 days': () => '/api/v1/dashboard',
  'dashboard, 30 days': () => '/api/v1/dashboard?window=30d',
};

/** Lists long enough to be read far into. */
const deepLists = ['/api/v1/keys', '/api/v1/projects', '/api/v1/credits/usage', '/api/v1/activity'];

async function compareRoute(
  name: string,
  pathOf: (place: Seeded) => string,
  both: { full: Asked; empty: Asked },
): Promise<Row> {
  const times = { full: [] as number[], empty: [] as number[] };
  for (let n = -warmUps; n < asks; n++)
    for (const side of ['full', 'empty'] as const) {
      const { app, place } = both[side];
      const { ms } = await ask(app, place.key, pathOf(place));
      if (n >= 0) times[side].push(ms);
    }
  const [fullMs, emptyMs] = [p95(times.full), p95(times.empty)];
  return {
    name: `${name}, p95, full / empty database`,
    ratio: fullMs / emptyMs,
    goal: 3,
    sense: 'at most',
    figures: `${fullMs.toFixed(1)} ms against ${emptyMs.toFixed(1)} ms`,
  };
}

/** The same list from its first page and, by cursors, from a page far behind. */
async function compareDepth(path: string, { app, place }: Asked): Promise<Row> {
  const first = `${path}?limit=10`;
  let cursor: string | null = null;
  for (let page = 0; page < deepPages; page++) {
    const { next } = await ask(app, place.key, cursor === null ? first : `${first}&cursor=${cursor}`);
    if (next === null) break;
    cursor = next;
  }
  const deep = `${first}&cursor=${cursor}`;
  const times = { first: [] as number[], deep: [] as number[] };
  for (let n = 0; n < asks; n++) {
    times.first.push((await ask(app, place.key, first)).ms);
    times.deep.push((await ask(app, place.key, deep)).ms);
  }
  const [deepMs, firstMs] = [median(times.deep), median(times.first)];
  return {
    name: `${path}, ${deepPages} pages behind / first page`,
    ratio: deepMs / firstMs,
    goal: 1.3,
    sense: 'at most',
    figures: `${deepMs.toFixed(1)} ms against ${firstMs.toFixed(1)} ms`,
  };
}

async function ask(app: TestApp, key: string, path: string): Promise<{ ms: number; next: string | null }> {
  const began = performance.now();
  const response = await fetch(app.origin + path, { headers: bearer(key) });
  const text = await response.text();
  const ms = performance.now() - began;
  if (response.status !== 200) throw new Error(`${path}: ${response.status} ${text}`);
  // as: lists answer with pages, everything else has no such field.
  const { next_cursor: next } = JSON.parse(text) as { next_cursor?: string | null };
  return { ms, next: next ?? null };
}

const p95 = (values: readonly number[]) =>
  quantile(
    [...values].sort((a, b) => a - b),
    0.95,
  );

/** The hot path with 32 callers in each of the databases, in turn. */
async function compareCalls(full: BenchDatabase, empty: BenchDatabase): Promise<Row> {
  const sides = [];
  for (const { database, url, dataDir } of [full, empty]) {
    const requests = await seedCallers(database, dataDir);
    const server = await startBenchServer('instant-server.ts', [url, dataDir]);
    const request = (connection: number) => requests[connection % requests.length] ?? Buffer.alloc(0);
    const run = (durationMs: number) => load({ port: server.port, connections: 32, durationMs, request });
    sides.push({ server, run, rates: [] as number[] });
  }
  try {
    for (const { run } of sides) await run(3000);
    for (let round = 0; round < hotRounds; round++)
      for (const { run, rates } of sides) rates.push((await run(2500)).perSecond);
    const [fullRate = 0, emptyRate = 0] = sides.map(({ rates }) => median(rates));
    return {
      name: 'hot path, 32 connections, full / empty database',
      ratio: fullRate / emptyRate,
      goal: 0.9,
      sense: 'at least',
      figures: `${fullRate.toFixed(0)}/s against ${emptyRate.toFixed(0)}/s`,
    };
  } finally {
    for (const { server } of sides) await server.stop();
  }
}
