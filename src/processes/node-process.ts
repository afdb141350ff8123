import { fork, type Serializable } from 'node:child_process';
import { setPriority } from 'node:os';
import { ManagedProcess, type OnOutputLine } from './managed-process.ts';

export type NodeProcessOptions = {
  /** The program: a file beside the module that starts it. It begins with `receiveMessages` or `serveRequests`. */
  script: string;
  env: Readonly<Record<string, string>>;
  nodeFlags?: readonly string[];
  /** Size of the native stack, KB, where the system allows it. */
  stackKb?: number;
  /** It gets about a tenth of a processor where others want all of it. */
  hasLowPriority?: boolean;
  /** This process may end while it runs, and takes it along. */
  isUnreferenced?: boolean;
  onLine?: OnOutputLine;
};

const lowPriority = 10;
const closedChannelMs = 3_000;

/** A Node program that exchanges messages with this process, and ends when this process does. */
export class NodeProcess<Sent extends object, Received> extends ManagedProcess {
  readonly #send: (message: Sent) => void;

  constructor(options: NodeProcessOptions, onMessage: (message: Received) => void) {
    const child = fork(options.script, [], {
      ...nodeCommand(options),
      env: { ...options.env },
      serialization: 'advanced',
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    super(child, options.onLine);
    // as: the channel carries only what the program sends, typed by its protocol.
    child.on('message', (message) => onMessage(message as Received));
    // A program that closes its channel can neither be asked nor told to end.
    child.once('disconnect', () => setTimeout(() => this.signal('SIGKILL'), closedChannelMs).unref());
    // A message that cannot be sent any more needs no handling: the exit is on its way.
    // as: messages are plain data.
    this.#send = (message) => void (child.connected && child.send(message as Serializable, () => {}));
    if (options.hasLowPriority === true) lowerPriority(child.pid);
    if (options.isUnreferenced === true) {
      this.unref();
      for (const stream of [child.stdout, child.stderr]) unrefStream(stream);
    }
  }

  send(message: Sent): void {
    this.#send(message);
  }

  kill(): void {
    this.signal('SIGKILL');
  }
}

/** Only a shell can raise the limit of the stack; it becomes the program. */
export function nodeCommand({ nodeFlags = [], stackKb }: Pick<NodeProcessOptions, 'nodeFlags' | 'stackKb'>): {
  execPath: string;
  execArgv: string[];
} {
  // Windows has neither the limit nor the shell.
  if (stackKb === undefined || process.platform === 'win32')
    return { execPath: process.execPath, execArgv: [...nodeFlags] };
  const raise = `ulimit -s ${stackKb} 2>/dev/null || ulimit -s "$(ulimit -H -s)" 2>/dev/null; exec "$0" "$@"`;
  return { execPath: '/bin/sh', execArgv: ['-c', raise, process.execPath, ...nodeFlags] };
}

function lowerPriority(pid: number | undefined): void {
  try {
    if (pid !== undefined) setPriority(pid, lowPriority);
  } catch {
    // It has ended already, or the system does not allow it: then it runs as everything else does.
  }
}

function unrefStream(stream: object | null): void {
  if (stream !== null && 'unref' in stream && typeof stream.unref === 'function') stream.unref();
}
