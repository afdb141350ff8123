import { once } from 'node:events';
import http from 'node:http';
import { Session } from 'node:inspector/promises';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Database } from '#db';
import { putRoute } from '#models';
import { bearer, seedProject } from './accounts.ts';
import { startApp } from './app.ts';
import { seedAlias, seedTenant } from './tenants.ts';

const sourceFolder = fileURLToPath(new URL('../../src/', import.meta.url));
const warmCalls = 5;
const measuredCalls = 10;

/** A base model of the catalogue that is not installed, so that only a serving route answers it. */
const remoteModel = 'qwen3-0.6b';

/**
 * The files of `src` in which a warm JSON chat completion runs at least one named function. A file counts when each of some calls
 * runs in it; so timers in the background do not count.
 */
export async function filesOfCall(
  database: Database,
  { engine }: { engine: 'embedded' | 'remote' },
): Promise<string[]> {
  await using started = new AsyncDisposableStack();
  if (engine === 'remote') {
    const upstream = await startUpstream();
    started.defer(upstream.stop);
    await putRoute(database, routeTo(upstream.port));
  }
  const app = await startApp(database, { watched: false });
  started.defer(app.stop);
  const { accountId, slug, key } = await seedTenant(database, app.models);
  const { projectId, slug: project } = await seedProject(database, { accountId });
  await seedAlias(database, app.models, {
    projectId,
    alias: 'chat',
    ...(engine === 'remote' ? { model: remoteModel } : {}),
  });
  const url = `${app.origin}/api/projects/${slug}/${project}/openai/v1/chat/completions`;
  const call = () => callChat(url, key);
  for (let n = 0; n < warmCalls; n += 1) await call();
  return await filesThatRun(call);
}

async function callChat(url: string, key: string): Promise<void> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { ...bearer(key), 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'chat', messages: [{ role: 'user', content: 'Hello' }], max_tokens: 8 }),
  });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`The call failed with ${response.status}: ${text}`);
}

async function filesThatRun(work: () => Promise<void>): Promise<string[]> {
  const session = new Session();
  session.connect();
  try {
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    let files: Set<string> | null = null;
    for (let n = 0; n < measuredCalls; n += 1) {
      await session.post('Profiler.takePreciseCoverage');
      await work();
      const ran = filesOf((await session.post('Profiler.takePreciseCoverage')).result);
      files = files === null ? ran : files.intersection(ran);
    }
    return [...(files ?? [])].sort();
  } finally {
    session.disconnect();
  }
}

type ScriptCoverage = { url: string; functions: { functionName: string; ranges: { count: number }[] }[] };

function filesOf(scripts: readonly ScriptCoverage[]): Set<string> {
  return new Set(
    scripts.flatMap(({ url, functions }) => {
      const path = url.startsWith('file:') ? fileURLToPath(url) : '';
      const ran = functions.some(({ functionName, ranges }) => functionName !== '' && (ranges[0]?.count ?? 0) > 0);
      return path.startsWith(sourceFolder) && ran ? [relative(sourceFolder, path)] : [];
    }),
  );
}

function routeTo(port: number) {
  const url = `http://127.0.0.1:${port}/v1`;
  const address = { id: 'engine', url, baseModelId: remoteModel, api: 'openai', upstreamModel: 'chat' } as const;
  return { ...address, secretSource: null, capacity: 4, weight: 1, draining: false };
}

/** A remote engine that gives the same answer to every call. */
async function startUpstream() {
  const answer = {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1_760_000_000,
    model: 'chat',
    choices: [{ index: 0, message: { role: 'assistant', content: 'Hello.' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 10, completion_tokens: 3, total_tokens: 13 },
  };
  const models = { object: 'list', data: [{ id: 'chat', object: 'model' }] };
  const server = http.createServer((request, response) => {
    request.resume().on('end', () => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(request.method === 'GET' ? models : answer));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The upstream has no port. This is a bug.');
  return {
    port: address.port,
    stop: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
