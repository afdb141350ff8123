import type { ChildProcess } from 'node:child_process';
import type { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { forEachLine, OutputTail } from './output-lines.ts';
import { signalGroup } from './process-group.ts';

/** How a process ended. `crashed`: by a defect of its own, and nobody killed it. `tail`: its last lines on stderr. */
export type ProcessExit = {
  code: number | null;
  signal: NodeJS.Signals | null;
  reason: string;
  crashed: boolean;
  tail: string;
};

export type OnOutputLine = (line: string, stream: 'stdout' | 'stderr') => void;

/** Output and messages may still be on their way when the exit is reported. */
const drainMs = 500;
/** Signals that native code ends itself with. */
const crashSignals: ReadonlySet<string | null> = new Set([
  'SIGSEGV',
  'SIGBUS',
  'SIGABRT',
  'SIGILL',
  'SIGFPE',
  'SIGTRAP',
]);

/** A child process from its start to its exit. */
export class ManagedProcess {
  readonly pid: number | undefined;
  readonly stdin: Writable | null;
  /** Rejects with the error of the system when the process cannot be started. */
  readonly started: Promise<void>;
  /** Never rejects. Resolves after the last line of output and the last message. */
  readonly exited: Promise<ProcessExit>;
  readonly #child: ChildProcess;
  readonly #tail = new OutputTail();

  constructor(child: ChildProcess, onLine: OnOutputLine = () => {}) {
    this.#child = child;
    this.pid = child.pid;
    this.stdin = child.stdin;
    // A process that ends before it has read everything reports why by its exit.
    child.stdin?.on('error', () => {});
    if (child.stdout) forEachLine(child.stdout, (line) => onLine(line, 'stdout'));
    if (child.stderr)
      forEachLine(child.stderr, (line) => {
        this.#tail.add(line);
        onLine(line, 'stderr');
      });
    this.started = new Promise((resolve, reject) => child.once('spawn', resolve).once('error', reject));
    this.started.catch(() => {});
    this.exited = this.#awaitExit();
  }

  get isRunning(): boolean {
    return this.pid !== undefined && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Ends the process and all that it started; it must lead a process group. */
  killGroup(): void {
    signalGroup(this.pid ?? 0, 'SIGKILL');
  }

  /** Sends one signal after the other until the process has ended, each after this time. */
  async stop(timeoutMs: number, signals: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGKILL']): Promise<void> {
    for (const signal of signals) {
      if (!this.isRunning) return;
      this.signal(signal);
      if (await this.exitsWithin(timeoutMs)) return;
    }
  }

  exitsWithin(timeoutMs: number): Promise<boolean> {
    return Promise.race([this.exited.then(() => true), sleep(timeoutMs, false, { ref: false })]);
  }

  /** This process does not wait for it any more. */
  unref(): void {
    this.#child.unref();
    this.#child.channel?.unref();
  }

  #awaitExit(): Promise<ProcessExit> {
    const child = this.#child;
    return new Promise((resolve) => {
      const finish = (code: number | null, signal: NodeJS.Signals | null, reason: string) =>
        resolve({ code, signal, reason, crashed: crashSignals.has(signal), tail: this.#tail.text });
      child.on('error', (error) => {
        // Without a process there is no exit event; other errors (a signal that cannot be sent) are followed by one.
        if (this.pid === undefined) finish(null, null, error.message);
      });
      child.once('exit', (code, signal) => {
        const report = () => finish(code, signal, signal === null ? `exit code ${code}` : `signal ${signal}`);
        if (!child.stdout && !child.stderr && !child.connected) return report();
        child.once('close', report);
        setTimeout(report, drainMs).unref();
      });
    });
  }
}
