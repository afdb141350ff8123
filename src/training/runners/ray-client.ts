import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { type Fields, isFields, OperatorError } from '#kernel';

export type RayPlace = {
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

type Answer = { status: number; body: Buffer };

const statuses: readonly RayStatus[] = ['PENDING', 'RUNNING', 'STOPPED', 'SUCCEEDED', 'FAILED'];
const mostBytes = 300 * 1024 * 1024;
const silenceMs = 30_000;
/** Old versions of Ray answer no request without one, new ones none of a browser. */
const userAgent = 'fanfold';

/**
 * The Jobs API of a Ray cluster. Not through `fetch`: it sends the headers of a browser, and Ray refuses browsers since
 * CVE-2025-62593.
 */
export class RayClient {
  readonly place: RayPlace;

  constructor(place: RayPlace) {
    this.place = place;
  }

  /** Null: Ray knows no such job. */
  async find(id: string): Promise<RayJob | null> {
    const answer = await this.#ask('GET', `/api/jobs/${id}`);
    if (answer.status === 404) return null;
    const job = fieldsOf(expect(answer, 200));
    const status = statuses.find((known) => known === job['status']);
    if (status === undefined) throw new RayUnreachable('Ray told no status of a job.');
    const { message, driver_exit_code: code } = job;
    return {
      status,
      message: typeof message === 'string' ? message : '',
      exitCode: typeof code === 'number' ? code : null,
    };
  }

  /** Names of all submissions that wait or run, whoever made them. */
  async listLive(): Promise<string[]> {
    const value: unknown = jsonOf(expect(await this.#ask('GET', '/api/jobs/'), 200));
    const jobs = (Array.isArray(value) ? value : []).filter(isFields);
    const live = jobs.filter(({ status }) => status === 'PENDING' || status === 'RUNNING');
    return live.flatMap(({ submission_id: id }) => (typeof id === 'string' ? [id] : []));
  }

  /** One that is there already is left as it is. */
  async submit(submission: RaySubmission): Promise<void> {
    const answer = await this.#ask('POST', '/api/jobs/', Buffer.from(JSON.stringify(submission)));
    if (answer.status === 500 && answer.body.includes('already exists')) return;
    expect(answer, 200);
  }

  /** One that is unknown or over needs no stop. */
  async stop(id: string): Promise<void> {
    const answer = await this.#ask('POST', `/api/jobs/${id}/stop`);
    if (answer.status !== 404) expect(answer, 200);
  }

  /** All that a job has printed so far; null: Ray cannot read it, as it cannot where something is no UTF-8. */
  async logs(id: string): Promise<Buffer | null> {
    const answer = await this.#ask('GET', `/api/jobs/${id}/logs`);
    if (answer.status === 404) return Buffer.alloc(0);
    if (answer.status === 500) return null;
    const { logs } = fieldsOf(expect(answer, 200));
    return Buffer.from(typeof logs === 'string' ? logs : '');
  }

  async hasPackage(name: string): Promise<boolean> {
    const answer = await this.#ask('GET', `/api/packages/gcs/${name}`);
    if (answer.status === 404) return false;
    expect(answer, 200);
    return true;
  }

  async putPackage(name: string, bytes: Buffer): Promise<void> {
    expect(await this.#ask('PUT', `/api/packages/gcs/${name}`, bytes), 200);
  }

  headers(): Record<string, string> {
    const { token } = this.place;
    return { 'user-agent': userAgent, ...(token === null ? {} : { authorization: `Bearer ${token}` }) };
  }

  #ask(method: string, path: string, body?: Buffer): Promise<Answer> {
    const url = new URL(`${this.place.url}${path}`);
    const send = url.protocol === 'https:' ? requestHttps : requestHttp;
    const length = body ? { 'content-type': 'application/json', 'content-length': String(body.length) } : {};
    return new Promise((resolve, reject) => {
      const fail = (cause: unknown) => reject(new RayUnreachable(`Ray cannot be reached at ${url.origin}.`, { cause }));
      const request = send(url, { method, headers: { ...this.headers(), ...length } }, (response) => {
        const pieces: Buffer[] = [];
        let bytes = 0;
        response.on('data', (piece: Buffer) => {
          bytes += piece.length;
          if (bytes > mostBytes) request.destroy(new Error('The answer is too long.'));
          else pieces.push(piece);
        });
        response.on('error', fail);
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body: Buffer.concat(pieces) }));
      });
      request.setTimeout(silenceMs, () => request.destroy(new Error('No answer in time.')));
      request.on('error', fail);
      request.end(body);
    });
  }
}

/** The body of a wanted answer. */
function expect({ status, body }: Answer, wanted: number): Buffer {
  if (status === wanted) return body;
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

export type Tail = {
  /** The next piece of what the job prints, from its beginning on; null: there is no more, or the connection is lost. */
  next: () => Promise<Buffer | null>;
  close: () => void;
};

const handshakeTimeout = 15_000;
const maxPayload = 16 * 1024 * 1024;
/** Of what waits to be read; beyond, the rest waits on the other side. */
const mostWaitingBytes = 1024 * 1024;

/** Follows what a job prints, over a WebSocket. */
export async function openTail(client: RayClient, id: string): Promise<Tail> {
  // Loaded where there is a cluster only.
  const { WebSocket } = await import('ws');
  const url = `${client.place.url.replace(/^http/, 'ws')}/api/jobs/${id}/logs/tail`;
  // Ray passes the offer of compression on to its own process, whose answer it then cannot read.
  const options = { headers: client.headers(), perMessageDeflate: false, handshakeTimeout, maxPayload };
  const socket = new WebSocket(url, options);
  const pieces: Buffer[] = [];
  let waitingBytes = 0;
  let isOver = false;
  let wake: (() => void) | null = null;
  const end = () => {
    isOver = true;
    wake?.();
  };
  socket.on('message', (data) => {
    if (!Buffer.isBuffer(data)) return;
    pieces.push(data);
    waitingBytes += data.length;
    if (waitingBytes > mostWaitingBytes) socket.pause();
    wake?.();
  });
  socket.on('close', end);
  socket.on('error', end);
  return {
    next: async () => {
      for (;;) {
        const piece = pieces.shift();
        if (piece !== undefined) {
          waitingBytes -= piece.length;
          if (waitingBytes <= mostWaitingBytes) socket.resume();
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
