import { fileURLToPath } from 'node:url';
import { childEnvironment, NodeProcess, type ProcessEnvironment } from '#processes';
import { watchMemory } from './memory-watch.ts';
import type { FromWorker, WorkOrder } from './protocol.ts';
import type { CountingModels } from './token-counting.ts';

export type WorkerEnd = { type: 'done' } | { type: 'busy' | 'unavailable' | 'failed' | 'lost'; message: string };

const script = fileURLToPath(new URL('./child.ts', import.meta.url));
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
/** A worker that sends nothing for so long is stuck in something that never ends. */
const silenceMs = 60_000;
/** Far more than any real file takes. A file of a few kilobytes can unpack to all the memory that a machine has. */
const memory = { mostBytes: 1536 * 1024 * 1024, everyMs: 250 };
/** Starting a process takes as long as reading a small file, so one that is done waits a while for more. */
const idleMs = 30_000;

export type Workers = ReturnType<typeof createWorkers>;

type Worker = { process: NodeProcess<WorkOrder<CountingModels>, FromWorker>; receive: (message: FromWorker) => void };

export function createWorkers(environment: ProcessEnvironment) {
  const idle = new Map<Worker, NodeJS.Timeout>();

  function take(): Worker {
    for (const [worker, timer] of idle) {
      clearTimeout(timer);
      idle.delete(worker);
      if (worker.process.isRunning) return worker;
    }
    return start(environment);
  }

  function keep(worker: Worker): void {
    const timer = setTimeout(() => {
      idle.delete(worker);
      worker.process.kill();
    }, idleMs).unref();
    idle.set(worker, timer);
  }

  return {
    /**
     * Lets a process of its own do the work, so that no file can stall or end the server, whatever is in it. It ends
     * with this process, and when the signal aborts.
     */
    async run(order: WorkOrder<CountingModels>, signal: AbortSignal): Promise<WorkerEnd> {
      signal.throwIfAborted();
      const worker = take();
      const end = await talk(worker, order, signal);
      if (end.type === 'done' && worker.process.isRunning) keep(worker);
      else worker.process.kill();
      return end;
    },
    stop(): void {
      for (const [worker, timer] of idle) {
        clearTimeout(timer);
        worker.process.kill();
      }
      idle.clear();
    },
  };
}

function start(environment: ProcessEnvironment): Worker {
  const worker: Worker = {
    process: new NodeProcess(
      {
        script,
        nodeFlags: heapOptions,
        env: {
          // The S3 client reads its own.
          ...childEnvironment(environment, 'node', 'aws'),
          // Threads that allocate from pools of their own leave holes in each: 30 MB more for a million rows.
          MALLOC_ARENA_MAX: '1',
        },
        // A server that stops does not wait for an idle worker, nor one that works: jobs do that.
        isUnreferenced: true,
      },
      (message) => worker.receive(message),
    ),
    receive: () => {},
  };
  return worker;
}

async function talk(worker: Worker, order: WorkOrder<CountingModels>, signal: AbortSignal): Promise<WorkerEnd> {
  const { process } = worker;
  const ended = Promise.withResolvers<WorkerEnd>();
  const kill = () => process.kill();
  let silence = setTimeout(kill, silenceMs);
  let cause = '';
  const endWatch = watchMemory(process.pid ?? 0, memory, () => {
    cause = `It took more than ${memory.mostBytes} bytes of memory.`;
    kill();
  });
  worker.receive = (message) => {
    clearTimeout(silence);
    silence = setTimeout(kill, silenceMs);
    if (message.type !== 'alive') ended.resolve(message);
  };
  void process.exited.then(({ reason, tail }) =>
    ended.resolve({ type: 'lost', message: `The worker ended by ${reason}. ${cause} ${tail}`.trim() }),
  );
  signal.addEventListener('abort', kill, { once: true });
  process.send(order);
  try {
    return await ended.promise;
  } finally {
    clearTimeout(silence);
    endWatch();
    signal.removeEventListener('abort', kill);
    worker.receive = () => {};
  }
}
