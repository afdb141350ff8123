import { call } from '../../api/call.ts';
import { basePath } from '../../api/page-settings.ts';
import { isProblem, lostConnection, Problem, problemOf } from '../../api/problem.ts';
import { csrfToken, renewSession } from '../../api/session.ts';
import { type Import, type ImportPath, pathOf } from './imports-queries.ts';

/** Bytes of one request: the most that a broken connection costs. */
const chunkBytes = 8 * 1024 * 1024;
const longestWaitMs = 15_000;

type UploadOptions = {
  at: ImportPath;
  file: Blob;
  receivedBytes: number;
  signal: AbortSignal;
  onProgress: (sentBytes: number) => void;
  /** True: the connection is lost; false: it is back. */
  onConnectionLost: (isWaiting: boolean) => void;
};

/**
 * Uploads a file in chunks, from where the server has it. Retries after a lost connection until the signal is aborted.
 *
 * @throws {Problem} for failures that a retry cannot fix.
 */
export async function uploadFile({ at, file, receivedBytes, signal, ...on }: UploadOptions): Promise<Import> {
  let from = receivedBytes;
  let failures = 0;
  for (;;) {
    signal.throwIfAborted();
    try {
      const answer = await sendChunk({ at, file, from, signal, onProgress: on.onProgress });
      on.onConnectionLost(false);
      failures = 0;
      if ('state' in answer) return answer;
      from = answer.received_bytes;
    } catch (error) {
      signal.throwIfAborted();
      if (!(await canGoOn(error))) throw error;
      on.onConnectionLost(true);
      await pause(Math.min(longestWaitMs, 500 * 2 ** failures++), signal);
      from = (await positionOf(at)) ?? from;
    }
    on.onProgress(from);
  }
}

async function canGoOn(error: unknown): Promise<boolean> {
  if (!isProblem(error)) return false;
  if (error.param === 'x-fnf-csrf') {
    await renewSession();
    return true;
  }
  const isGap = error.code === 'state_conflict' && error.details?.['reason'] === 'range_gap';
  return isGap || error.status === 0 || error.status === 429 || error.status >= 500;
}

/** Bytes that have arrived; null: unknown for now. */
async function positionOf(at: ImportPath): Promise<number | null> {
  try {
    const { file } = await call('GET /api/v1/projects/{owner}/{project}/imports/{import_id}', { path: pathOf(at) });
    return file.received_bytes;
  } catch (error) {
    if (isProblem(error) && error.status === 404) throw error;
    return null;
  }
}

type Chunk = Pick<UploadOptions, 'at' | 'file' | 'signal' | 'onProgress'> & { from: number };

/** Not with `fetch`, which reports no upload progress. */
function sendChunk({ at, file, from, signal, onProgress }: Chunk): Promise<Import | { received_bytes: number }> {
  const to = Math.min(file.size, from + chunkBytes);
  const path = [at.owner, at.project].map(encodeURIComponent).join('/');
  const request = new XMLHttpRequest();
  const answer = Promise.withResolvers<Import | { received_bytes: number }>();
  request.open('PUT', `${basePath()}/api/v1/projects/${path}/imports/${encodeURIComponent(at.import)}/content`);
  request.setRequestHeader('content-type', 'application/octet-stream');
  request.setRequestHeader('x-fnf-csrf', csrfToken());
  request.setRequestHeader('content-range', `bytes ${from}-${to - 1}/${file.size}`);
  request.upload.onprogress = ({ loaded }) => onProgress(Math.min(to, from + loaded));
  request.onerror = () => answer.reject(lostConnection());
  request.onload = () => {
    const { status, responseText } = request;
    // as: the contract tests of the server check the shape.
    if (status < 300) answer.resolve(JSON.parse(responseText) as Import | { received_bytes: number });
    else void problemIn(request).then(answer.reject);
  };
  signal.addEventListener('abort', () => request.abort(), { once: true });
  request.onabort = () =>
    answer.reject(new Problem({ status: 0, code: 'offline', message: 'The upload was stopped.' }));
  request.send(file.slice(from, to));
  return answer.promise;
}

function problemIn(request: XMLHttpRequest): Promise<Problem> {
  const headers = new Headers();
  for (const name of ['x-request-id', 'retry-after']) {
    const value = request.getResponseHeader(name);
    if (value !== null) headers.set(name, value);
  }
  return problemOf(new Response(request.responseText, { status: request.status, headers }));
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
    // The browser reports it at once when the connection is back.
    window.addEventListener('online', () => resolve(), { once: true });
  });
}
