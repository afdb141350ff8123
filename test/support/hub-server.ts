import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What the store does with the next transfer instead of serving it well. Pieces of known ends are served well in any case. */
export type Misbehaviour =
  /** Serves it well after all. */
  | { type: 'none' }
  /** Sends this many bytes, then cuts the connection. */
  | { type: 'cut'; afterBytes: number }
  /** Answers 200 with the whole file, whatever part was asked for. */
  | { type: 'ignore_range' }
  /** Answers a part that starts elsewhere. */
  | { type: 'wrong_range' }
  | { type: 'status'; status: number; headers?: Record<string, string> }
  /** Sends this many bytes, then nothing, with the connection open. */
  | { type: 'stall'; afterBytes: number }
  /** Sends other bytes of the same length. */
  | { type: 'corrupt' }
  /** Sends more than it announced at the hub. */
  | { type: 'too_long' };

export type HubServer = {
  /** Base address of the hub, for `endpoint`. */
  url: string;
  /** Requests that arrived, oldest first; `host` says at the hub or at the store. */
  requests: { host: 'hub' | 'store'; url: string; headers: IncomingMessage['headers'] }[];
  /** Applied to one transfer each, in order; then all is well. */
  misbehave: (...next: Misbehaviour[]) => void;
  /** Replaces the bytes of every file; its listing is the caller's to replace. */
  replace: (bytes: Buffer) => void;
  /** Listings of repositories, by path with query. */
  answers: Map<string, unknown>;
  options: {
    /** Token that the hub asks for. */
    token: string | null;
    /** Whether the listings are for everybody. */
    isGated: boolean;
    /** Hops between hub and store. */
    redirects: number;
    /** Sends its redirect to this address. */
    redirectTo: string | null;
  };
  close: () => Promise<void>;
};

export const hubCommit = 'c0ffee'.padEnd(40, '0');
const sha256Of = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const blobIdOf = (bytes: Buffer) => createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');

/** How the hub lists the files of a repository: large ones by their SHA-256, small ones as git knows them. */
export function hubListing(files: Readonly<Record<string, Buffer>>, commit = hubCommit) {
  const siblings = Object.entries(files).map(([rfilename, bytes]) => {
    const entry = { rfilename, size: bytes.length, blobId: blobIdOf(bytes) };
    if (!/\.(?:gguf|safetensors)$/.test(rfilename)) return entry;
    return { ...entry, blobId: '0'.repeat(40), lfs: { sha256: sha256Of(bytes), size: bytes.length, pointerSize: 135 } };
  });
  return { sha: commit, siblings };
}

/**
 * A hub that speaks as the Hugging Face hub does, on loopback: `/{repo}/resolve/{commit}/{file}` redirects to a
 * store of another origin, which knows ranges.
 */
export async function startHubServer(...served: { path: string; bytes: Buffer }[]): Promise<HubServer> {
  const requests: HubServer['requests'] = [];
  const queue: Misbehaviour[] = [];
  const options: HubServer['options'] = {
    token: null,
    isGated: false,
    redirects: 1,
    redirectTo: null,
  };
  const files = served.map(({ path, bytes }) => ({ path, bytes }));
  const answers = new Map<string, unknown>();

  const store = createServer((request, response) => {
    requests.push({ host: 'store', url: request.url ?? '', headers: request.headers });
    const { bytes } = files[Number(/^\/blob(\d+)/.exec(request.url ?? '')?.[1])] ?? { bytes: Buffer.alloc(0) };
    const isPiece = pieceRange.test(request.headers.range ?? '');
    sendPart({ request, response, bytes, fault: isPiece ? null : (queue.shift() ?? null) });
  });
  const storeUrl = await listen(store);
  const hub = createServer((request, response) => {
    requests.push({ host: 'hub', url: request.url ?? '', headers: request.headers });
    const hop = Number(new URL(request.url ?? '/', 'http://hub').searchParams.get('hop') ?? 0);
    const isOpen = !options.token || request.headers.authorization === `Bearer ${options.token}`;
    if (!isOpen && !options.isGated) return response.writeHead(401).end('Access to this repository is restricted.');
    const answer = answers.get(request.url ?? '');
    if (answer !== undefined) return response.end(JSON.stringify(answer));
    const [path = ''] = (request.url ?? '').split('?');
    if (path.startsWith('/api/')) return refuse(response, notListed(path, answers));
    // Of gated repositories everybody sees the listing.
    if (!isOpen) return refuse(response, { status: 401, code: 'GatedRepo' });
    const index = files.findIndex((file) => file.path === path);
    const file = files[index];
    if (!file) return refuse(response, { status: 404, code: 'EntryNotFound' });
    const far = hop + 1 >= options.redirects;
    // Hops on the hub itself are relative, as they are for renamed repositories.
    response.writeHead(far ? 302 : 307, {
      location: far ? (options.redirectTo ?? `${storeUrl}/blob${index}?signature=x`) : `${path}?hop=${hop + 1}`,
    });
    return response.end('Found');
  });

  return {
    url: await listen(hub),
    requests,
    misbehave: (...next) => void queue.push(...next),
    replace(next) {
      for (const file of files) file.bytes = next;
    },
    answers,
    options,
    async close() {
      await Promise.all([hub, store].map(stop));
    },
  };
}

type Refusal = { status: number; code: string };

function refuse(response: ServerResponse, { status, code }: Refusal) {
  response.writeHead(status, { 'x-error-code': code }).end(JSON.stringify({ error: code }));
}

/** The hub answers 401 for a repository that is not there, which could be a private one. */
function notListed(path: string, answers: ReadonlyMap<string, unknown>): Refusal {
  const repository = `${path.split('/revision/', 1)[0]}/`;
  const isThere = [...answers.keys()].some((listed) => listed.startsWith(repository));
  return isThere ? { status: 404, code: 'RevisionNotFound' } : { status: 401, code: 'RepoNotFound' };
}

const pieceRange = /^bytes=(\d+)-(\d+)$/;

type Part = {
  request: IncomingMessage;
  response: ServerResponse;
  bytes: Buffer;
  fault: Misbehaviour | null;
};

function sendPart({ request, response, bytes, fault }: Part): void {
  if (fault?.type === 'status') {
    response.writeHead(fault.status, fault.headers).end('no');
    return;
  }
  const asked = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '');
  const end = asked?.[2] ? Math.min(Number(asked[2]) + 1, bytes.length) : bytes.length;
  const ranged = asked !== null && fault?.type !== 'ignore_range';
  let start = ranged ? Number(asked[1]) : 0;
  if (start >= bytes.length) {
    response.writeHead(416, { 'content-range': `bytes */${bytes.length}` }).end();
    return;
  }
  if (fault?.type === 'wrong_range') start = Math.floor(start / 2);
  let body = bytes.subarray(start, end);
  if (fault?.type === 'corrupt') body = Buffer.alloc(body.length, 1);
  if (fault?.type === 'too_long') body = Buffer.concat([body, Buffer.alloc(1000)]);
  response.writeHead(ranged ? 206 : 200, {
    'content-length': body.length,
    ...(ranged ? { 'content-range': `bytes ${start}-${end - 1}/${bytes.length}` } : {}),
  });
  if (fault?.type === 'cut') {
    response.write(body.subarray(0, fault.afterBytes), () => setTimeout(() => response.destroy(), 20));
  } else if (fault?.type === 'stall') response.write(body.subarray(0, fault.afterBytes));
  else response.end(body);
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // as: a TCP server that listens has an address object.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function stop(server: Server): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeAllConnections();
  await closed;
}
