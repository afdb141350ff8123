import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { watchMemory } from './memory-watch.ts';
import type { FromWorker, ToWorker, WorkOrder, WorkTarget } from './protocol.ts';
import type { CountingModels } from './token-counting.ts';

export type WorkerEnd = { type: 'done' } | { type: 'busy' | 'unavailable' | 'failed' | 'lost'; message: string };

const program = fileURLToPath(new URL('./child.ts', import.meta.url));
/** With what DuckDB and buffers take beside it, a worker stays below 400 MB for text. */
const heapMb = 192;
/**
 * Rows are short-lived and mostly in buffers. With V8's defaults the few objects that stay were collected again for
 * every few MB of buffers, which took a quarter of all the time. And because rows wait for the tokeniser while it
 * starts, V8 would take them for long-lived, remember that, and from then on allocate rows in the old generation,
 * which only a full collection frees: once a second in each thread.
 */
const heapOptions = [
  `--max-old-space-size=${heapMb}`,
  '--initial-old-space-size=160',
  '--max-semi-space-size=16',
  '--no-allocation-site-pretenuring',
];
/** A worker that says nothing for so long is stuck in something that never ends. */
const silenceMs = 60_000;
/** Far more than any real file takes. A file of a few kilobytes can unpack to all the memory that a machine has. */
const memory = { mostBytes: 1536 * 1024 * 1024, everyMs: 250 };
/** What the S3 client looks for by itself, where compiled modules lie, and nothing else of the server's secrets. */
const passedOn = /^(PATH|HOME|LANG|LC_\w+|TZ|TMPDIR|TEMP|TMP|SystemRoot|LD_LIBRARY_PATH|NODE_COMPILE_CACHE|AWS_\w+)$/;

/** Starting a process takes as long as reading a small file, so one that is done waits a while for more. */
const idleMs = 30_000;

export type Workers = {
  /**
   * Lets a process of its own do the work, so that no file can stall or end the server, whatever is in it. It ends with
   * this process, and when the signal aborts.
   */
  run: (order: WorkOrder<CountingModels>, signal: AbortSignal) => Promise<WorkerEnd>;
  /** Has a process ready for an order that is likely to come within half a minute, so that it need not wait for the start. */
  prepare: (target: WorkTarget<CountingModels>, importId: string) => void;
  stop: () => void;
};

export function createWorkers(environment: Readonly<Record<string, string | undefined>>): Workers {
  const idle = new Map<ChildProcess, NodeJS.Timeout>();

  function take(): ChildProcess {
    for (const [child, timer] of idle) {
      clearTimeout(timer);
      idle.delete(child);
      if (child.connected && child.exitCode === null && child.signalCode === null) return child;
    }
    return start(environment);
  }

  function keep(child: ChildProcess): void {
    const timer = setTimeout(() => {
      idle.delete(child);
      child.kill('SIGKILL');
    }, idleMs).unref();
    idle.set(child, timer);
  }

  function prepare(target: WorkTarget<CountingModels>, importId: string): void {
    const isReady = idle.size > 0;
    const child = take();
    if (!isReady) child.send({ type: 'prepare', target, importId } satisfies ToWorker<CountingModels>, () => {});
    keep(child);
  }

  return {
    prepare,
    async run(order, signal) {
      signal.throwIfAborted();
      const child = take();
      const end = await talk(child, order, signal);
      if (end.type === 'done' && child.connected) keep(child);
      else child.kill('SIGKILL');
      return end;
    },
    stop() {
      for (const [child, timer] of idle) {
        clearTimeout(timer);
        child.kill('SIGKILL');
      }
      idle.clear();
    },
  };
}

function start(environment: Readonly<Record<string, string | undefined>>): ChildProcess {
  const child = fork(program, [], {
    execArgv: heapOptions,
    env: {
      ...Object.fromEntries(Object.entries(environment).filter(([name]) => passedOn.test(name))),
      // Threads that allocate from pools of their own leave holes in each: 30 MB more for a million rows.
      MALLOC_ARENA_MAX: '1',
    },
    // Orders hold numbers of any size and dates.
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  // A server that stops does not wait for an idle worker, nor one that works: jobs do that.
  child.unref();
  child.channel?.unref();
  child.stderr?.setEncoding('utf8');
  // Nobody else listens while it waits.
  child.on('error', () => {});
  return child;
}

async function talk(child: ChildProcess, order: WorkOrder<CountingModels>, signal: AbortSignal): Promise<WorkerEnd> {
  const ended = Promise.withResolvers<WorkerEnd>();
  const kill = () => void child.kill('SIGKILL');
  let silence = setTimeout(kill, silenceMs);
  let tail = '';
  const endWatch = watchMemory(child.pid ?? 0, memory, () => {
    tail = `It took more than ${memory.mostBytes} bytes of memory.`;
    kill();
  });
  const onText = (text: string) => {
    tail = (tail + text).slice(-2_000);
  };
  const onMessage = (received: unknown) => {
    // as: the channel carries only what child.ts sends.
    const message = received as FromWorker;
    clearTimeout(silence);
    silence = setTimeout(kill, silenceMs);
    if (message.type !== 'alive') ended.resolve(message);
  };
  const onError = (error: Error) => ended.resolve({ type: 'lost', message: error.message });
  const onExit = (code: number | null, by: string | null) =>
    ended.resolve({ type: 'lost', message: `The worker ended by ${by ?? `code ${code}`}. ${tail}`.trim() });
  child.stderr?.on('data', onText);
  child.on('message', onMessage).once('error', onError).once('exit', onExit);
  signal.addEventListener('abort', kill, { once: true });
  child.send({ type: 'start', order } satisfies ToWorker<CountingModels>, () => {});
  try {
    return await ended.promise;
  } finally {
    clearTimeout(silence);
    endWatch();
    signal.removeEventListener('abort', kill);
    child.stderr?.off('data', onText);
    child.off('message', onMessage).off('error', onError).off('exit', onExit);
  }
}
