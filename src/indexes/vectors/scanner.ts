import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { fault } from '#kernel';
import type { Found, FromScanner, ToScanner, VectorFile } from './scan-protocol.ts';

/**
 * Searches files of vectors in a child process, which starts with the first search and ends after a time without one.
 */
export type Scanner = {
  /** Throws `capacity_unavailable` when the search fails, twice. */
  search: (file: VectorFile, queries: readonly Float32Array[], count: number) => Promise<Found>;
  stop: () => void;
};

const program = fileURLToPath(new URL('./scan-child.ts', import.meta.url));
const passedOn = /^(PATH|HOME|LANG|LC_\w+|TZ|TMPDIR|TEMP|TMP|SystemRoot|LD_LIBRARY_PATH)$/;
const idleMs = 60_000;
const patienceMs = 120_000;
/** Queries of one message, so that a search of one query never waits for those of a whole evaluation. */
const mostQueries = 16;

type ScanRequest = Omit<ToScanner, 'id'>;
type Pending = { child: ChildProcess; resolve: (found: Found) => void; reject: (error: Error) => void };

export function createScanner(environment: Readonly<Record<string, string | undefined>>): Scanner {
  const pending = new Map<number, Pending>();
  let child: ChildProcess | null = null;
  let timer: NodeJS.Timeout | undefined;
  let lastId = 0;

  function start(): ChildProcess {
    const started = fork(program, [], {
      execArgv: ['--max-semi-space-size=2'],
      env: Object.fromEntries(Object.entries(environment).filter(([name]) => passedOn.test(name))),
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    // A server that stops does not wait for it.
    started.unref();
    started.channel?.unref();
    // as: the channel carries only what scan-child.ts sends.
    started.on('message', (message) => receive(message as FromScanner));
    started.once('error', (error) => lose(started, error.message));
    started.once('exit', (code, signal) => lose(started, `It ended by ${signal ?? `code ${code}`}.`));
    return started;
  }

  function receive(message: FromScanner): void {
    const waiting = pending.get(message.id);
    pending.delete(message.id);
    if (message.type === 'found') waiting?.resolve(message);
    else waiting?.reject(new Error(message.message));
    watch();
  }

  function lose(lost: ChildProcess, reason: string): void {
    if (child === lost) child = null;
    for (const [id, waiting] of pending) {
      if (waiting.child !== lost) continue;
      pending.delete(id);
      waiting.reject(new Error(reason));
    }
  }

  /** While something is asked, a silent child is given up; while nothing is, it ends after a while. */
  function watch(): void {
    clearTimeout(timer);
    timer = setTimeout(() => child?.kill('SIGKILL'), pending.size > 0 ? patienceMs : idleMs).unref();
  }

  function ask(request: ScanRequest): Promise<Found> {
    child ??= start();
    const asked = child;
    const id = ++lastId;
    return new Promise((resolve, reject) => {
      pending.set(id, { child: asked, resolve, reject });
      asked.send({ id, ...request } satisfies ToScanner, (error) => {
        if (error) lose(asked, error.message);
      });
      watch();
    });
  }

  /** A child that died may have done so for any reason, so that it is asked twice. */
  function askTwice(request: ScanRequest): Promise<Found> {
    return ask(request)
      .catch(() => ask(request))
      .catch(unavailable);
  }

  return {
    async search(file, queries, count) {
      const parts: Found[] = [];
      for (let at = 0; at < queries.length; at += mostQueries) {
        const some = joined(queries.slice(at, at + mostQueries), file.dimensions);
        parts.push(await askTwice({ file, queries: some, count }));
      }
      return together(parts);
    },
    stop() {
      clearTimeout(timer);
      child?.kill('SIGKILL');
    },
  };
}

function unavailable(cause: unknown): never {
  throw fault('capacity_unavailable', { message: 'The index cannot be searched now.', retryAfterSeconds: 5, cause });
}

function joined(queries: readonly Float32Array[], dimensions: number): Float32Array {
  const all = new Float32Array(queries.length * dimensions);
  for (const [index, query] of queries.entries()) all.set(query, index * dimensions);
  return all;
}

function together(parts: readonly Found[]): Found {
  return {
    perQuery: parts[0]?.perQuery ?? 0,
    places: Int32Array.from(parts.flatMap(({ places }) => [...places])),
    scores: Float32Array.from(parts.flatMap(({ scores }) => [...scores])),
  };
}
