import assert from 'node:assert/strict';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Database } from '#db';
import { bearer } from '#test/accounts.ts';
import { startApp, type TestApp, type TestAppOptions } from '#test/app.ts';
import { createTestDatabase } from '#test/database.ts';
import { seedTenant, type Tenant } from '#test/tenants.ts';

/** The wired program, and people in it who train models. */
export type TrainingServer = {
  app: TestApp;
  database: Database;
  url: string;
  person: (options?: { credits?: number; kind?: 'text' | 'embedding' }) => Promise<Person>;
  stop: () => Promise<void>;
};

export type TrainingAnswer = { status: number; headers: Headers; json: ReturnType<typeof JSON.parse>; text: string };

export type Person = Tenant & {
  /** Path of the project. */
  project: string;
  ask: (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<TrainingAnswer>;
  /** The same, and it must succeed. */
  ok: (method: string, path: string, body?: unknown) => Promise<TrainingAnswer['json']>;
  /** A dataset with these examples, as the API takes them. */
  dataset: (examples: readonly object[]) => Promise<string>;
  /** Waits until a job is in one of these states. */
  until: (jobId: string, ...states: string[]) => Promise<TrainingAnswer['json']>;
};

export async function startTraining(options: TestAppOptions = {}): Promise<TrainingServer> {
  const db = await createTestDatabase({ maxConnections: 16 });
  const app = await startApp(db.database, options);
  return {
    app,
    database: db.database,
    url: db.url,
    person: async ({ credits = 1_000, kind = 'text' } = {}) =>
      becomePerson(app, await seedTenant(db.database, app.models, { credits }), kind),
    stop: async () => {
      await app.stop();
      await db.drop();
    },
  };
}

/** A program in place of the trainer's Python that speaks its protocol and learns nothing. */
export async function scriptedTrainer(): Promise<{ program: string; remove: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'fanfold-scripted-'));
  const program = join(folder, 'trainer');
  const [script, golden] = ['./scripted-trainer.fixture.mjs', '../../test/training/golden/chat'].map((path) =>
    fileURLToPath(new URL(path, import.meta.url)),
  );
  await writeFile(program, `#!/bin/sh\nexec '${process.execPath}' '${script}' '${golden}' "$@"\n`);
  await chmod(program, 0o755);
  return { program, remove: () => rm(folder, { recursive: true, force: true }) };
}

/** The wired program with that trainer. */
export async function startScripted(): Promise<TrainingServer> {
  const trainer = await scriptedTrainer();
  const server = await startTraining({
    settings: { FANFOLD_TRAINING_PYTHON: trainer.program, FANFOLD_ENGINE_THREADS: '1' },
  });
  return {
    ...server,
    stop: async () => {
      await server.stop();
      await trainer.remove();
    },
  };
}

const atOnce = 100;
const timeoutMs = 180_000;

export function becomePerson({ origin }: { origin: string }, tenant: Tenant, kind: 'text' | 'embedding'): Person {
  const project = `/api/v1/projects/${tenant.slug}/${kind === 'text' ? 'chat' : 'search'}`;
  const ask: Person['ask'] = async (method, path, body, headers = {}) => {
    const response = await fetch(origin + path, {
      method,
      headers: {
        ...bearer(tenant.key),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(180_000),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') && !text.includes('}\n{');
    return { status: response.status, headers: response.headers, text, json: isJson && text ? JSON.parse(text) : null };
  };
  const ok: Person['ok'] = async (method, path, body) => {
    const answer = await ask(method, path, body);
    assert.ok(answer.status < 300, `${method} ${path}: ${answer.status} ${answer.text}`);
    return answer.json;
  };
  const dataset: Person['dataset'] = async (examples) => {
    const { id } = await ok('POST', `${project}/datasets`, { name: 'Learn this' });
    for (let at = 0; at < examples.length; at += atOnce) {
      const body = { examples: examples.slice(at, at + atOnce) };
      const { results } = await ok('POST', `${project}/datasets/${id}/examples`, body);
      assert.ok(results.every(({ status }: { status: string }) => status !== 'rejected'));
    }
    return String(id);
  };
  const until: Person['until'] = async (jobId, ...states) => {
    const deadline = performance.now() + timeoutMs;
    for (;;) {
      const job = await ok('GET', `${project}/training-jobs/${jobId}`);
      if (states.includes(job.state)) return job;
      const isOver = job.finished_at !== null || performance.now() > deadline;
      if (isOver) {
        const { text } = await ask('GET', `${project}/training-jobs/${jobId}/logs?limit=100`);
        assert.fail(`the job is ${job.state}, not ${states}: ${JSON.stringify(job.error)} ${text.slice(-2_500)}`);
      }
      await sleep(50);
    }
  };
  return { ...tenant, project, ask, ok, dataset, until };
}
