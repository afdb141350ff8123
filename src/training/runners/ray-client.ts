import { type Fields, isFields, OperatorError } from '#kernel';

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
