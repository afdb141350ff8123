import { setTimeout as sleep } from 'node:timers/promises';
import { isStorageFull, systemCodeOf } from '#kernel';
import { ModelError, reasonOf } from '../model-error.ts';

/** A file of a Hugging Face repository. */
type HubFile = { repo: string; file: string; revision: string };

export type HubOptions = {
  endpoint: string;
  /** Access token for gated repositories; sent to the hub's own origin only. */
  token: string | null;
  /** No answer and no byte for this long ends an attempt, ms. */
  stallMs: number;
};

export type HubAnswer = {
  status: number;
  /** First byte of a 206 answer. */
  rangeStart: number | null;
  retryAfterMs: number | null;
  /** Why the hub refuses, in its own words. */
  errorCode: string | null;
  body: AsyncIterable<Buffer>;
  discard: () => void;
};

/** A transfer that did not come about or broke off; worth another attempt. */
export class TransferError extends Error {
  override readonly name = 'TransferError';
  /** How long the hub wants us to wait, ms. */
  readonly retryAfterMs: number | null;
  /** What may help when no attempt succeeds; null: the next pull. */
  readonly hint: string | null;

  constructor(message: string, options: ErrorOptions & { retryAfterMs?: number | null; hint?: string } = {}) {
    super(message, options);
    this.retryAfterMs = options.retryAfterMs ?? null;
    this.hint = options.hint ?? null;
  }
}

/** An answer of the hub that no further attempt will change. */
export class HubRefusal extends Error {
  override readonly name = 'HubRefusal';
}

const maxRedirects = 5;
const redirectStatuses = new Set([301, 302, 303, 307, 308]);

/** Requests a file from `offset` on, following the hub's redirects to its store. */
export async function requestFile(hub: HubOptions, file: HubFile, from: RangeRequest): Promise<HubAnswer> {
  const path = [
    file.repo,
    'resolve',
    encodeURIComponent(file.revision),
    ...file.file.split('/').map(encodeURIComponent),
  ];
  const { answer, header } = await follow(hub, path.join('/'), from);
  const range = /^bytes (\d+)-/.exec(header('content-range') ?? '');
  return {
    status: answer.statusCode,
    rangeStart: range ? Number(range[1]) : null,
    retryAfterMs: retryAfterOf(header('retry-after')),
    errorCode: header('x-error-code'),
    body: answer.body,
    discard: () => answer.body.destroy(),
  };
}

type HubDocument = Pick<HubAnswer, 'status' | 'retryAfterMs' | 'errorCode'> & { text: string };

const longestDocument = 16 << 20;

export async function requestDocument(hub: HubOptions, path: string, signal: AbortSignal): Promise<HubDocument> {
  const { answer, header } = await follow(hub, path, { offset: 0, end: null, signal });
  const pieces: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const piece of answer.body) {
      bytes += piece.length;
      if (bytes > longestDocument) throw new HubRefusal(`the answer of the hub to ${path} is too long.`);
      pieces.push(piece);
    }
  } catch (error) {
    if (signal.aborted || error instanceof HubRefusal) throw error;
    throw new TransferError('the connection broke off', { cause: error });
  } finally {
    answer.body.destroy();
  }
  const text = Buffer.concat(pieces).toString();
  const errorCode = header('x-error-code');
  return { status: answer.statusCode, text, retryAfterMs: retryAfterOf(header('retry-after')), errorCode };
}

type RangeRequest = {
  offset: number;
  /** First byte that is not wanted; null: all to the end. */
  end: number | null;
  signal: AbortSignal;
};

/** Sends a request to the hub and goes where its redirects lead. */
async function follow(hub: HubOptions, path: string, request: RangeRequest) {
  const home = new URL(hub.endpoint);
  let url = new URL(`${home.pathname.replace(/\/$/, '')}/${path}`, home);
  for (let hop = 0; hop <= maxRedirects; hop++) {
    const answer = await send(url, headersFor(hub, url, request), {
      signal: request.signal,
      stallMs: hub.stallMs,
    });
    const header = (name: string): string | null => {
      const value = answer.headers[name];
      return (Array.isArray(value) ? value[0] : value) ?? null;
    };
    const location = header('location');
    if (!redirectStatuses.has(answer.statusCode) || !location) return { answer, header };
    answer.body.destroy();
    url = nextUrl(location, url);
  }
  throw new HubRefusal(`the hub sends more than ${maxRedirects} redirects.`);
}

function headersFor(hub: HubOptions, url: URL, { offset, end }: RangeRequest): Record<string, string> {
  const headers: Record<string, string> = { 'user-agent': 'fanfold', 'accept-encoding': 'identity' };
  if (hub.token && url.origin === new URL(hub.endpoint).origin) headers['authorization'] = `Bearer ${hub.token}`;
  if (offset > 0 || end !== null) headers['range'] = `bytes=${offset}-${end === null ? '' : end - 1}`;
  return headers;
}

async function send(url: URL, headers: Record<string, string>, limits: { signal: AbortSignal; stallMs: number }) {
  // Only who pulls a model needs the client, not who serves.
  const undici = await import('undici');
  try {
    const answer = await undici.request(url, {
      headers,
      signal: limits.signal,
      headersTimeout: limits.stallMs,
      bodyTimeout: limits.stallMs,
    });
    // A body that is thrown away must not report its end as an error of nobody.
    answer.body.on('error', () => {});
    return answer;
  } catch (error) {
    if (limits.signal.aborted) throw error;
    throw new TransferError(`${url.host} cannot be reached (${systemCodeOf(error) ?? reasonOf(error)})`, {
      cause: error,
      hint:
        'Check the network, or name another hub with HF_ENDPOINT; without one, copy the file to the server and add it ' +
        'by its path.',
    });
  }
}

/** Where a redirect leads. A step from https to http is refused: it would undo the protection of the first hop. */
function nextUrl(location: string, from: URL): URL {
  let next: URL;
  try {
    next = new URL(location, from);
  } catch {
    throw new HubRefusal('the hub sends a redirect to no address.');
  }
  if (next.protocol !== 'https:' && !(next.protocol === 'http:' && from.protocol === 'http:')) {
    throw new HubRefusal(`the hub sends a redirect from ${from.protocol} to ${next.protocol} addresses.`);
  }
  return next;
}

function retryAfterOf(text: string | null): number | null {
  return text !== null && /^\d{1,15}$/.test(text) ? Math.min(Number(text), 60) * 1000 : null;
}

/** An attempt that got this far was no failure of the same kind as the last: the count of attempts starts again. */
const progressBytes = 1 << 20;

export type RetryOptions = {
  retryDelaysMs: readonly number[];
  onNote: (line: string) => void;
  signal: AbortSignal;
};

/** Tries again after broken transfers; when `bytes` has grown by much, the count of attempts starts again. */
export async function withRetries<T>(
  retryOptions: RetryOptions,
  bytes: () => number,
  run: () => Promise<T>,
): Promise<T> {
  let failures = 0;
  for (;;) {
    const before = bytes();
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof TransferError)) throw error;
      if (bytes() - before >= progressBytes) failures = 0;
      const delayMs = retryOptions.retryDelaysMs[failures];
      if (delayMs === undefined) throw error;
      failures++;
      const waitMs = Math.max(delayMs, error.retryAfterMs ?? 0);
      retryOptions.onNote(`${capitalized(error.message)}; trying again in ${Math.ceil(waitMs / 1000)} s.`);
      await sleep(waitMs, undefined, { signal: retryOptions.signal });
    }
  }
}

/** Turns errors of the hub into errors of one line for the person who waits. */
export async function withModelErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof HubRefusal) {
      const message = capitalized(error.message);
      const inRequest = message.replace(
        /; look it up with: fanfold models search WORD$/,
        '; search the hub for its name.',
      );
      throw new ModelError(message, { cause: error, inRequest });
    }
    if (error instanceof TransferError) {
      const hint = error.hint ?? 'What has arrived stays, and the next pull goes on from there.';
      throw new ModelError(`${capitalized(error.message)}. ${hint}`, { cause: error });
    }
    if (isStorageFull(error)) throw new ModelError('The disk is full.', { cause: error });
    throw error;
  }
}

export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
