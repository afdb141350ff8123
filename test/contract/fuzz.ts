import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPublication } from '#http';
import { seedProject } from '#test/accounts.ts';
import { startApp } from '#test/app.ts';
import { createTestDatabase } from '#test/database.ts';
import { pythonProgram } from '#test/python.ts';
import { seedAlias, seedTenant, type Tenant } from '#test/tenants.ts';
import { type FuzzRun, operationsOfRuns } from './fuzz-plan.ts';

export type FuzzOptions = {
  /** Phases of schemathesis, with commas. */
  phases: string;
  /** Random requests for each operation, beside those that cover its schema. */
  examples: number;
  seed: number;
  /** Ends the requests of each run after this time; without it they end when all were made. */
  maxSeconds?: number;
  /** A run that has not ended by then has failed, ms. */
  timeoutMs: number;
};

export type FuzzResult = {
  run: FuzzRun;
  operations: string[];
  requests: number;
  seconds: number;
  passed: boolean;
  report: string;
};

type Caller = { slug: string; headers: string[] };

/** Starts the program on a database of its own and makes requests from its contract; one result for each run. */
export async function fuzz(options: FuzzOptions): Promise<FuzzResult[]> {
  const database = await createTestDatabase();
  const app = await startApp(database.database, { settings: { FANFOLD_SIGNUP: 'open' } });
  const tables = await mkdtemp(join(tmpdir(), 'fanfold-fuzz-tables-'));
  try {
    const tenant = await seedTenant(database.database, app.models, { credits: 100_000 });
    const { projectId } = await seedProject(database.database, { accountId: tenant.accountId, slug: 'spare' });
    await seedAlias(database.database, app.models, { projectId, alias: 'spare' });
    const runs = operationsOfRuns(createPublication(app.server.routeTable.rows).operationIds());
    // All callers before any run: the requests of one of them try passwords until further tries are refused.
    const callers = new Map<FuzzRun, Caller>();
    for (const run of runs.keys()) callers.set(run, await callerFor(run, app.origin, tenant));
    await writeCharacterTables(tables);
    return await Promise.all(
      runs.entries().map(async ([run, operations]) => {
        const caller = callers.get(run) ?? { slug: tenant.slug, headers: [] };
        return { run, operations, ...(await schemathesis(app.origin, caller, { operations, options, tables })) };
      }),
    );
  } finally {
    await app.stop();
    await database.drop();
    await rm(tables, { recursive: true });
  }
}

async function callerFor({ credential }: FuzzRun, origin: string, tenant: Tenant): Promise<Caller> {
  if (credential === 'session') return signUp(origin);
  return { slug: tenant.slug, headers: credential === 'key' ? [`Authorization: Bearer ${tenant.key}`] : [] };
}

/** An account with the projects that the requests name, signed in. */
async function signUp(origin: string): Promise<Caller> {
  const slug = `fuzz-${Math.random().toString(36).slice(2, 10)}`;
  const json = { 'content-type': 'application/json' };
  const response = await fetch(`${origin}/api/v1/auth/sign-up/email`, {
    method: 'POST',
    headers: json,
    body: JSON.stringify({ email: `${slug}@example.com`, password: 'violet tram over 12 bridges', slug }),
  });
  if (response.status !== 201) throw new Error(`${response.status} ${await response.text()}`);
  // as: the contract says so.
  const { csrf_token: token } = (await response.json()) as { csrf_token: string };
  const cookie = response.headers
    .getSetCookie()
    .map((each) => each.split(';', 1)[0])
    .join('; ');
  for (const project of ['chat', 'spare']) {
    const made = await fetch(`${origin}/api/v1/projects`, {
      method: 'POST',
      headers: { ...json, cookie, 'x-fnf-csrf': token },
      body: JSON.stringify({ name: project, slug: project, kind: 'text' }),
    });
    if (made.status !== 201) throw new Error(`${made.status} ${await made.text()}`);
  }
  return { slug, headers: [`Cookie: ${cookie}`, `x-fnf-csrf: ${token}`] };
}

/** What hypothesis knows of all characters takes it seconds to find out: once for all runs. */
async function writeCharacterTables(folder: string): Promise<void> {
  const script =
    'from hypothesis.internal.charmap import charmap, intervals_from_codec; charmap(); intervals_from_codec("utf-8")';
  const { code, output } = await runToEnd(await pythonProgram('python'), ['-c', script], {
    cwd: folder,
    env: { ...process.env, HYPOTHESIS_STORAGE_DIRECTORY: folder },
    timeout: 180_000,
  });
  if (code !== 0) throw new Error(output);
}

/** One expression: many names would be many filters, and each is asked about each operation at each look. */
const onlyThese = (operations: readonly string[]) =>
  `^(${operations.map((id) => id.replaceAll('.', '\\.')).join('|')})$`;

type Part = { operations: readonly string[]; options: FuzzOptions; tables: string };

async function schemathesis(
  origin: string,
  caller: Caller,
  { operations, options, tables }: Part,
): Promise<Omit<FuzzResult, 'run' | 'operations'>> {
  const folder = await mkdtemp(join(tmpdir(), 'fanfold-fuzz-'));
  const args = [
    ...['--config-file', join(import.meta.dirname, 'schemathesis.toml'), 'run', `${origin}/api/v1/openapi.en.json`],
    ...['--url', origin, '--no-color', '--seed', String(options.seed)],
    ...['--phases', options.phases, '--max-examples', String(options.examples)],
    ...(options.maxSeconds === undefined ? [] : ['--max-time', String(options.maxSeconds)]),
    ...caller.headers.flatMap((header) => ['--header', header]),
    ...['--include-operation-id-regex', onlyThese(operations)],
  ];
  const environment = {
    ...process.env,
    FUZZ_OWNER: caller.slug,
    FUZZ_HOOKS: join(import.meta.dirname, 'fuzz_hooks.py'),
    HYPOTHESIS_STORAGE_DIRECTORY: folder,
    PYTHONDONTWRITEBYTECODE: '1',
  };
  try {
    // A copy: nothing that one run finds out is for another.
    await cp(tables, folder, { recursive: true });
    const program = await pythonProgram('schemathesis');
    const startedAt = performance.now();
    const { code, output } = await runToEnd(program, args, {
      cwd: folder,
      env: environment,
      timeout: options.timeoutMs,
    });
    return {
      requests: Number(/(\d+) generated/.exec(output)?.[1] ?? 0),
      seconds: Math.round((performance.now() - startedAt) / 1000),
      // A thread that died leaves its operations untried, and the status says nothing of it.
      passed: code === 0 && !output.includes('Exception in thread'),
      report: output,
    };
  } finally {
    await rm(folder, { recursive: true });
  }
}

function runToEnd(
  program: string,
  args: readonly string[],
  options: { cwd: string; env: NodeJS.ProcessEnv; timeout: number },
): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve) => {
    const child = execFile(program, args, { ...options, maxBuffer: 67_108_864 }, (_error, stdout, stderr) =>
      resolve({ code: child.exitCode, output: stdout + stderr }),
    );
  });
}
