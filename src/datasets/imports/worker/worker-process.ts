import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { FromWorker, ToWorker, WorkOrder } from './protocol.ts';

export type WorkerEnd = { type: 'done' } | { type: 'again' | 'failed' | 'lost'; message: string };

export type WorkerOptions = {
  signal: AbortSignal;
  environment: Readonly<Record<string, string | undefined>>;
  /** Told as the worker tells. */
  onAlive?: (rssBytes: number) => void;
};

const program = fileURLToPath(new URL('./child.ts', import.meta.url));
/** With what DuckDB and buffers take beside it, a worker stays below 400 MB for text. */
const heapMb = 192;
/** A worker that says nothing for so long is stuck in something that never ends. */
const silenceMs = 60_000;
/** What the S3 client looks for by itself, and nothing else of the server's secrets. */
const passedOn = /^(PATH|HOME|LANG|LC_\w+|TZ|TMPDIR|TEMP|TMP|SystemRoot|LD_LIBRARY_PATH|AWS_\w+)$/;

/**
 * Lets a process of its own do the work, so that no file can stall or end the server, whatever is in it. It ends with this
 * process, and when the signal aborts.
 */
export async function runWorker<Counting>(
  order: WorkOrder<Counting>,
  { signal, environment, onAlive }: WorkerOptions,
): Promise<WorkerEnd> {
  signal.throwIfAborted();
  const child = fork(program, [], {
    execArgv: [`--max-old-space-size=${heapMb}`, '--max-semi-space-size=8'],
    env: Object.fromEntries(Object.entries(environment).filter(([name]) => passedOn.test(name))),
    // Options hold numbers of any size and dates.
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  const ended = Promise.withResolvers<WorkerEnd>();
  let said: WorkerEnd | null = null;
  let tail = '';
  const kill = () => void child.kill('SIGKILL');
  let silence = setTimeout(kill, silenceMs);
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    tail = (tail + text).slice(-2_000);
  });
  child.on('message', (received) => {
    // as: the channel carries only what child.ts sends.
    const message = received as FromWorker;
    clearTimeout(silence);
    silence = setTimeout(kill, silenceMs);
    if (message.type === 'alive') onAlive?.(message.rssBytes);
    else said = message;
  });
  child.once('error', (error) => ended.resolve({ type: 'lost', message: error.message }));
  child.once('exit', (code, by) =>
    ended.resolve(said ?? { type: 'lost', message: `The worker ended by ${by ?? `code ${code}`}. ${tail}`.trim() }),
  );
  signal.addEventListener('abort', kill, { once: true });
  child.send({ type: 'start', order } satisfies ToWorker<Counting>, () => {});
  try {
    return await ended.promise;
  } finally {
    clearTimeout(silence);
    signal.removeEventListener('abort', kill);
  }
}
