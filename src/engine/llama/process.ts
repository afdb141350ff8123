import { type ChildProcess, fork, type Serializable } from 'node:child_process';
import { setPriority } from 'node:os';
import type { Readable } from 'node:stream';
import { withLargeStack } from './large-stack.ts';

export type Log = (
  level: 'debug' | 'info' | 'warn' | 'error',
  message: string,
  fields: Record<string, unknown>,
) => void;

/** The program of a child: `child.ts` under the Node binary that runs the server. */
export type ChildCommand = { execPath: string; script: string };

export type EngineProcess<Sent> = {
  pid: number | undefined;
  send: (message: Sent) => void;
  /** Asks the child to end and kills it after the bound; resolves when it is gone. */
  stop: () => Promise<void>;
  kill: () => void;
};

export type ProcessOptions = {
  command: ChildCommand;
  environment: Record<string, string | undefined>;
  modelId: string;
  log: Log;
  /** Half of what its young objects may take, MB: more where many of them come and go. */
  youngMb?: number | undefined;
  /** What its old objects may take, MB; more ends it. */
  oldMb?: number | undefined;
  /** Models come first where processors are few. */
  isBehind?: boolean;
};

/** How a child ended. `crashed`: by a defect of its own, and nobody killed it. `tail` is its last output. */
export type Exit = { reason: string; crashed: boolean; tail: string };

export type ProcessEvents<Received> = {
  message: (message: Received) => void;
  /** Once, after the last message. */
  gone: (exit: Exit) => void;
};

/**
 * Names of variables that children get from the server's environment; everything else (keys, database URL) stays out. A child
 * that finds its modules compiled begins in half the time.
 */
const passedOn =
  /^(PATH|HOME|LANG|LC_\w+|TZ|TMPDIR|TEMP|TMP|SystemRoot|LD_LIBRARY_PATH|NODE_COMPILE_CACHE|(CUDA|NVIDIA|GGML|HIP|ROCR|VK|OMP)_\w+)$/i;
/** The child's own JavaScript is small; with what Node takes its idle heap takes about 17 MB more. */
const smallYoungMb = 2;
/** Of the scheduling of the system: about a tenth of the processor where others want all of it. */
const behind = 10;
const stopMs = 3_000;
/** Messages may still be in the channel when the exit is reported. */
const lastMessagesMs = 500;
const tailChars = 2_000;
/** Signals that native code ends itself with. */
const crashes: ReadonlySet<string> = new Set(['SIGSEGV', 'SIGBUS', 'SIGABRT', 'SIGILL', 'SIGFPE', 'SIGTRAP']);
const frame = /\[0x[\da-f]+\]$/;

function childEnvironment(environment: Record<string, string | undefined>): Record<string, string> {
  const passed: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) {
    if (value !== undefined && passedOn.test(name)) passed[name] = value;
  }
  return passed;
}

/**
 * Starts a child that ends with this process: its IPC channel closes, whatever way this process dies. Its protocol has a
 * message `stop`, at which it ends.
 */
export function startProcess<Sent, Received>(
  options: ProcessOptions,
  events: ProcessEvents<Received>,
): EngineProcess<Sent> {
  const { command, youngMb = smallYoungMb, oldMb } = options;
  const { script, execPath } = command;
  const execArgv = [
    `--max-semi-space-size=${youngMb}`,
    ...(oldMb === undefined ? [] : [`--max-old-space-size=${oldMb}`]),
    '--v8-pool-size=1',
  ];
  const child = fork(script, [], {
    ...withLargeStack({ execPath, execArgv }),
    // One pool thread keeps native calls in the order they were made; the child counts on it (`text-runner.ts`).
    env: { ...childEnvironment(options.environment), UV_THREADPOOL_SIZE: '1' },
    serialization: 'advanced',
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    detached: false,
  });
  if (options.isBehind === true && child.pid !== undefined) lower(child.pid);
  const fields = { model: options.modelId, childPid: child.pid };
  let tail = '';
  const keep = (line: string) => {
    // What was wrong stands in front of llama.cpp's backtrace, which is longer than what is kept.
    if (frame.test(line)) return;
    tail = `${tail}${line}\n`.slice(-tailChars);
  };
  forEachLine(child.stdout, (line) => options.log('debug', line, fields));
  forEachLine(child.stderr, (line) => {
    keep(line);
    options.log('debug', line, fields);
  });

  // The channel carries only what the child's program sends, typed by its protocol.
  child.on('message', (message) => events.message(message as Received));
  const gone = onceGone(child, (exit) => events.gone({ ...exit, tail: tail.trim() }));
  return {
    pid: child.pid,
    send: (message) => {
      // as: the type parameter is a message of the protocol.
      if (child.connected) child.send(message as Serializable, ignoreError);
    },
    stop: () => {
      if (child.connected) child.send({ type: 'stop' }, ignoreError);
      const timer = setTimeout(() => child.kill('SIGKILL'), stopMs);
      return gone.finally(() => clearTimeout(timer));
    },
    kill: () => void child.kill('SIGKILL'),
  };
}

function lower(pid: number): void {
  try {
    setPriority(pid, behind);
  } catch {
    // It has ended already, or the system does not allow it: then it runs as everything else does.
  }
}

/** A message that cannot be sent any more needs no care: the exit is on its way and ends every request. */
function ignoreError(): void {}

/** The child is gone when it has exited and its channel is drained. A child that closes its channel is killed. */
function onceGone(child: ChildProcess, report: (exit: Omit<Exit, 'tail'>) => void): Promise<void> {
  return new Promise((resolve) => {
    let exit: Omit<Exit, 'tail'> | null = null;
    let reported = false;
    const finish = (how: Omit<Exit, 'tail'>) => {
      if (reported) return;
      reported = true;
      report(how);
      resolve();
    };
    child.once('error', (error) => {
      // A failed start has no exit event; other errors (a failed kill) are followed by one.
      if (child.pid === undefined) finish({ reason: error.message, crashed: false });
    });
    child.once('exit', (code, signal) => {
      exit = {
        reason: signal === null ? `exit code ${code}` : `signal ${signal}`,
        crashed: signal !== null && crashes.has(signal),
      };
      if (!child.connected) finish(exit);
      else setTimeout(finish, lastMessagesMs, exit).unref();
    });
    child.once('disconnect', () => {
      if (exit !== null) finish(exit);
      else if (child.exitCode === null && child.signalCode === null)
        setTimeout(() => child.kill('SIGKILL'), stopMs).unref();
    });
  });
}

function forEachLine(stream: Readable | null, take: (line: string) => void): void {
  if (stream === null) return;
  let rest = '';
  stream.setEncoding('utf8');
  stream.on('data', (chunk: string) => {
    const lines = `${rest}${chunk}`.split('\n');
    // A line without an end must not grow without bound.
    rest = (lines.pop() ?? '').slice(-tailChars);
    for (const line of lines) if (line.trim() !== '') take(line);
  });
  stream.on('end', () => {
    if (rest.trim() !== '') take(rest);
  });
  stream.on('error', ignoreError);
}
