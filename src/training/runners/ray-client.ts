import { type Fields, isFields, OperatorError } from '#kernel';

export type RayEndpoint = {
  /** Of the dashboard, without a slash at the end. */
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
  readonly endpoint: RayEndpoint;

  constructor(endpoint: RayEndpoint) {
    this.endpoint = endpoint;
  }

  /** Null: Ray knows no such job. */
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

  /** All that a job has printed so far; null: Ray cannot read it, as it cannot where something is no UTF-8. */
  async logs(id: string): Promise<Buffer | null> {
    const response = await this.#request('GET', `/api/jobs/${id}/logs`);
    if (response.status === 404) return Buffer.alloc(0);
    if (response.status === 500) return null;
    const { logs } = fieldsOf(expect(response, 200));
    return Buffer.from(typeof logs === 'string' ? logs : '');
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

  headers(): Record<string, string> {
    const { token } = this.endpoint;
    return { 'user-agent': userAgent, ...(token === null ? {} : { authorization: `Bearer ${token}` }) };
  }

  async #request(method: 'GET' | 'POST' | 'PUT', path: string, body: Buffer | null = null): Promise<RayResponse> {
    const { request } = await import('undici');
    const headers = { ...this.headers(), ...(body ? { 'content-type': 'application/json' } : {}) };
    try {
      const response = await request(this.endpoint.url + path, {
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
      throw new RayUnreachable(`Ray cannot be reached at ${new URL(this.endpoint.url).origin}.`, { cause });
    }
  }
}

/** The body of a response that must have this status. */
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

type RayLogTail = {
  /** The next piece of what the job prints, from its beginning on; null: there is no more, or the connection is lost. */
  next: () => Promise<Buffer | null>;
  close: () => void;
};

const handshakeTimeout = 15_000;
const maxPayload = 16 * 1024 * 1024;
/** Of what was received and not read; beyond, the connection is paused. */
const maxBufferedBytes = 1024 * 1024;

/** Follows what a job prints, over a WebSocket. */
export async function openTail(client: RayClient, id: string): Promise<RayLogTail> {
  // Loaded where there is a cluster only.
  const { WebSocket } = await import('ws');
  const url = `${client.endpoint.url.replace(/^http/, 'ws')}/api/jobs/${id}/logs/tail`;
  // Ray passes the offer of compression on to its own process, whose answer it then cannot read.
  const options = { headers: client.headers(), perMessageDeflate: false, handshakeTimeout, maxPayload };
  const socket = new WebSocket(url, options);
  const pieces: Buffer[] = [];
  let bufferedBytes = 0;
  let isOver = false;
  let wake: (() => void) | null = null;
  const end = () => {
    isOver = true;
    wake?.();
  };
  socket.on('message', (data) => {
    if (!Buffer.isBuffer(data)) return;
    pieces.push(data);
    bufferedBytes += data.length;
    if (bufferedBytes > maxBufferedBytes) socket.pause();
    wake?.();
  });
  socket.on('close', end);
  socket.on('error', end);
  return {
    next: async () => {
      for (;;) {
        const piece = pieces.shift();
        if (piece !== undefined) {
          bufferedBytes -= piece.length;
          if (bufferedBytes <= maxBufferedBytes) socket.resume();
          return piece;
        }
        if (isOver) return null;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    close: () => socket.terminate(),
  };
}
