import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { ZipFile } from 'yazl';
import { type Fields, isFields, OperatorError } from '#kernel';
import type { AttemptName } from '../jobs/job.ts';
import type { AttemptRef } from './runner.ts';
import { fixedEnvironment } from './trainer-program.ts';

export type RayEndpoint = {
  url: string;
  token: string | null;
};

type RayStatus = 'PENDING' | 'RUNNING' | 'STOPPED' | 'SUCCEEDED' | 'FAILED';
export type RayJob = { status: RayStatus; message: string; exitCode: number | null };

export type RaySubmission = {
  submission_id: string;
  entrypoint: string;
  entrypoint_num_cpus: number;
  entrypoint_num_gpus: number;
  metadata: Record<string, string>;
  runtime_env: { working_dir: string; env_vars: Record<string, string> };
};

/** Ray does not answer, or not as it should; it may do so later. */
export class RayUnreachable extends Error {}

type RayResponse = { status: number; body: Buffer };

const statuses: readonly RayStatus[] = ['PENDING', 'RUNNING', 'STOPPED', 'SUCCEEDED', 'FAILED'];
const maxResponseBytes = 300 * 1024 * 1024;
const timeoutMs = 30_000;
/** Old versions of Ray answer no request without one, new ones none of a browser. */
const userAgent = 'fanfold';

/**
 * The Jobs API of a Ray cluster. Not through `fetch`: it sends the headers of a browser, and Ray refuses browsers since
 * CVE-2025-62593.
 */
export class RayClient {
  readonly #endpoint: RayEndpoint;

  constructor(endpoint: RayEndpoint) {
    this.#endpoint = endpoint;
  }

  async find(id: string): Promise<RayJob | null> {
    const response = await this.#request('GET', `/api/jobs/${id}`);
    if (response.status === 404) return null;
    const job = fieldsOf(expect(response, 200));
    const status = statuses.find((known) => known === job['status']);
    if (status === undefined) throw new RayUnreachable('Ray reported no status of a job.');
    const { message, driver_exit_code: code } = job;
    return {
      status,
      message: typeof message === 'string' ? message : '',
      exitCode: typeof code === 'number' ? code : null,
    };
  }

  /** Names of all submissions that wait or run, whoever made them. */
  async listLive(): Promise<string[]> {
    const value: unknown = jsonOf(expect(await this.#request('GET', '/api/jobs/'), 200));
    const jobs = (Array.isArray(value) ? value : []).filter(isFields);
    const live = jobs.filter(({ status }) => status === 'PENDING' || status === 'RUNNING');
    return live.flatMap(({ submission_id: id }) => (typeof id === 'string' ? [id] : []));
  }

  /** One that is there already is left as it is. */
  async submit(submission: RaySubmission): Promise<void> {
    const response = await this.#request('POST', '/api/jobs/', Buffer.from(JSON.stringify(submission)));
    if (response.status === 500 && response.body.includes('already exists')) return;
    expect(response, 200);
  }

  /** One that is unknown or over needs no stop. */
  async stop(id: string): Promise<void> {
    const response = await this.#request('POST', `/api/jobs/${id}/stop`);
    if (response.status !== 404) expect(response, 200);
  }

  async hasPackage(name: string): Promise<boolean> {
    const response = await this.#request('GET', `/api/packages/gcs/${name}`);
    if (response.status === 404) return false;
    expect(response, 200);
    return true;
  }

  async putPackage(name: string, bytes: Buffer): Promise<void> {
    expect(await this.#request('PUT', `/api/packages/gcs/${name}`, bytes), 200);
  }

  async #request(method: 'GET' | 'POST' | 'PUT', path: string, body: Buffer | null = null): Promise<RayResponse> {
    const { request } = await import('undici');
    const { url, token } = this.#endpoint;
    const headers = {
      'user-agent': userAgent,
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(body ? { 'content-type': 'application/json' } : {}),
    };
    try {
      const response = await request(url + path, {
        method,
        headers,
        body,
        headersTimeout: timeoutMs,
        bodyTimeout: timeoutMs,
      });
      const pieces: Buffer[] = [];
      let bytes = 0;
      for await (const piece of response.body) {
        bytes += piece.length;
        if (bytes > maxResponseBytes) throw new Error('The response is too long.');
        pieces.push(piece);
      }
      return { status: response.statusCode, body: Buffer.concat(pieces) };
    } catch (cause) {
      throw new RayUnreachable(`Ray cannot be reached at ${new URL(url).origin}.`, { cause });
    }
  }
}

function expect({ status, body }: RayResponse, expected: number): Buffer {
  if (status === expected) return body;
  if (status === 401 || status === 403)
    throw new OperatorError('Ray refuses the token; FANFOLD_RAY_TOKEN must be the token of the cluster.');
  const [line = ''] = body.toString('utf8', 0, 2_000).trim().split('\n').slice(-1);
  if (status >= 400 && status < 500)
    throw new OperatorError(`Ray refuses a request of this program (${status}): ${line}`);
  throw new RayUnreachable(`Ray answered ${status}: ${line}`);
}

function fieldsOf(body: Buffer): Fields {
  const value = jsonOf(body);
  if (isFields(value)) return value;
  throw new RayUnreachable('Ray did not answer in JSON.');
}

function jsonOf(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch (cause) {
    throw new RayUnreachable('Ray did not answer in JSON.', { cause });
  }
}

/** What every attempt gets of the cluster. */
export type RayTerms = {
  cpus: number;
  gpus: number;
  python: string;
  entrypoint?: string;
  /** Time that an attempt has to write a checkpoint once it is to end, ms. */
  killAfterMs?: number;
};

type RayStartPaths = AttemptRef & { specPath: string; outputPath: string; workingDir: string };

export function submissionOf(start: RayStartPaths, terms: RayTerms): Omit<RaySubmission, 'submission_id'> {
  const { jobId, attempt, specPath, outputPath, workingDir } = start;
  const { cpus, gpus, python, killAfterMs = 30_000 } = terms;
  const { entrypoint = `${quoted(python)} -u -m fanfold_trainer.lora.train` } = terms;
  return {
    // Its exit code must be that of the trainer, not of a shell.
    entrypoint: `exec ${entrypoint} --spec ${quoted(specPath)} >${quoted(outputPath)} 2>&1`,
    entrypoint_num_cpus: cpus,
    entrypoint_num_gpus: gpus,
    metadata: { job_id: jobId, attempt: String(attempt) },
    runtime_env: {
      working_dir: workingDir,
      env_vars: {
        ...fixedEnvironment,
        OMP_NUM_THREADS: String(Math.max(1, Math.floor(cpus))),
        // Ray kills after 3 s by itself, which is less than a checkpoint takes.
        RAY_JOB_STOP_WAIT_TIME_S: String(Math.ceil(killAfterMs / 1000)),
      },
    },
  };
}

/** The name of a start; a second submission of the same name is none. */
export function submissionId({ jobId, attempt, restart = 0 }: AttemptRef): string {
  return `fanfold-${jobId}-a${attempt}${restart === 0 ? '' : `-r${restart}`}`;
}

/** The attempt whose start has this name; null: it is no name of ours. */
export function attemptOfSubmission(id: string): AttemptName | null {
  const [, jobId, attempt] = /^fanfold-(job_[0-9A-Z]{26})-a([1-9][0-9]{0,8})(?:-r[0-9]{1,9})?$/.exec(id) ?? [];
  return jobId === undefined ? null : { jobId, attempt: Number(attempt) };
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

const packageFiles = /\.(py|jinja)$/;
/** Nothing in the archive depends on when or where it is made. */
const untimed = { mtime: new Date(1980, 0, 1), mode: 0o100644, compress: false, forceDosTimestamp: true };

/** Makes sure that Ray has the trainer of this version, and returns its address. Equal files have one address. */
export async function uploadPackage(client: RayClient, folder: string): Promise<string> {
  const names = (await readdir(folder, { recursive: true })).filter((name) => packageFiles.test(name)).sort();
  const zip = new ZipFile();
  for (const name of names) zip.addBuffer(await readFile(join(folder, name)), name, untimed);
  zip.end();
  const bytes = await buffer(zip.outputStream);
  const name = `_ray_pkg_${createHash('sha256').update(bytes).digest('hex').slice(0, 32)}.zip`;
  if (!(await client.hasPackage(name))) await client.putPackage(name, bytes);
  return `gcs://${name}`;
}
