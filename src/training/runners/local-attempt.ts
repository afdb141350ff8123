import { open, stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isProcessRunning, type ManagedProcess, signalGroup, startProcess } from '#processes';
import { exitCodes } from './protocol.ts';
import type { TrainerOutcome } from './runner.ts';
import type { StartFolder } from './start-folder.ts';

export type TrainerCommand = {
  file: string;
  args: readonly string[];
  cwd: string;
  env: Readonly<Record<string, string>>;
};

export type AttemptTimeouts = {
  killAfterMs: number;
  /** Time that a trainer has whose server died, ms: it ends by itself. */
  orphanMs: number;
  /** Longest time without a word, ms. While it learns, a trainer says something every second. */
  silenceMs: number;
};

const pollMs = 100;
/** From taking a start to saying who has it: two small programs, on a machine that may be busy. */
const claimMs = 15_000;
/** More output than this ends an attempt: it would fill the disk. */
const mostOutputBytes = 256 * 1024 * 1024;
/** Exit codes from here on stand for signals. */
const signalBase = 128;
const claimLost = 98;

/** A start that this process made or found. */
export class LocalAttempt {
  readonly folder: StartFolder;
  readonly #timeouts: AttemptTimeouts;
  #child: ManagedProcess | null = null;
  #pid = 0;
  #reason: string | null = null;
  #hasExited = false;
  #exitCode: number | null = null;
  #isOver = false;
  #timer: NodeJS.Timeout | null = null;
  #wake: (() => void) | null = null;
  #output = { size: 0, sinceMs: performance.now() };

  private constructor(folder: StartFolder, timeouts: AttemptTimeouts) {
    this.folder = folder;
    this.#timeouts = timeouts;
  }

  /** Finds an attempt that an earlier server process has started; null where none was. */
  static async find(folder: StartFolder, timeouts: AttemptTimeouts): Promise<LocalAttempt | null> {
    if ((await folder.claimant()) === null) return null;
    const attempt = new LocalAttempt(folder, timeouts);
    attempt.#killLater(timeouts.orphanMs, 'The trainer went on for too long after its server had died.');
    return attempt;
  }

  static async start(folder: StartFolder, program: TrainerCommand, timeouts: AttemptTimeouts): Promise<LocalAttempt> {
    const attempt = new LocalAttempt(folder, timeouts);
    const output = await open(folder.outputPath, 'a', 0o600);
    try {
      const child = startProcess('/bin/sh', {
        args: [startScript(), folder.path, program.file, ...program.args],
        cwd: program.cwd,
        env: program.env,
        stdin: 'pipe',
        output: output.fd,
        leadsGroup: true,
      });
      attempt.#follow(child);
      await child.started;
    } finally {
      await output.close();
    }
    return attempt;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  async hasEnded(): Promise<boolean> {
    if (this.#isOver) return true;
    if (this.#child !== null && !this.#hasExited) {
      await this.#checkOutput();
      return false;
    }
    if (this.#child === null) {
      this.#pid ||= await this.#whoBegan();
      if (await isProcessRunning(this.#pid, this.folder.path)) return false;
    }
    this.#end();
    return true;
  }

  pause(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, pollMs);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** The folder says already that it is wanted. */
  cancel(): void {
    if (this.#isOver) return;
    signalGroup(this.#pid, 'SIGTERM');
    this.#killLater(this.#timeouts.killAfterMs, 'The trainer was canceled and did not end.');
  }

  /** Lets a trainer see that nobody listens any more: it writes a checkpoint and ends. */
  detach(): void {
    this.#child?.stdin?.end();
    this.#child?.unref();
  }

  /** Resolves when it has ended; kills it after the bound. */
  async finish(boundMs: number): Promise<void> {
    this.detach();
    this.#killLater(boundMs, 'The server stopped and the trainer did not end.');
    while (!(await this.hasEnded())) await this.pause();
  }

  async outcome(): Promise<TrainerOutcome> {
    // On a full disk it could not be written down.
    const code = (await this.folder.exitCode()) ?? this.#exitCode;
    const isCanceled = await this.folder.isCanceled();
    if (code !== null && code < signalBase) return { kind: 'exited', code };
    if (isCanceled) return { kind: 'exited', code: exitCodes.cancelled };
    const reason = code === null ? 'The trainer was killed.' : `The trainer was ended by signal ${code - signalBase}.`;
    return { kind: 'lost', reason: this.#reason ?? reason };
  }

  #follow(child: ManagedProcess): void {
    this.#child = child;
    this.#pid = child.pid ?? 0;
    void child.exited.then(({ code }) => {
      this.#hasExited = true;
      if (code === claimLost) {
        // Another process had started the attempt first: that one is followed.
        this.#child = null;
        this.#pid = 0;
      } else this.#exitCode = code;
      this.#wake?.();
    });
  }

  /** It may be about to say who it is. */
  async #whoBegan(): Promise<number> {
    const deadline = performance.now() + claimMs;
    for (;;) {
      const pid = (await this.folder.claimant()) ?? 0;
      if (pid !== 0 || performance.now() > deadline) return pid;
      await sleep(pollMs);
    }
  }

  async #checkOutput(): Promise<void> {
    const { size } = await stat(this.folder.outputPath);
    const nowMs = performance.now();
    if (size !== this.#output.size) this.#output = { size, sinceMs: nowMs };
    else if (nowMs - this.#output.sinceMs > this.#timeouts.silenceMs)
      this.#kill('The trainer said nothing for too long.');
    if (size > mostOutputBytes) this.#kill(`The trainer wrote more than ${mostOutputBytes} bytes of output.`);
  }

  #killLater(afterMs: number, reason: string): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#kill(reason), afterMs).unref();
  }

  #kill(reason: string): void {
    if (this.#isOver) return;
    this.#reason ??= reason;
    signalGroup(this.#pid, 'SIGKILL');
  }

  #end(): void {
    this.#isOver = true;
    if (this.#timer) clearTimeout(this.#timer);
    // Kills the whole group: no process that the trainer started may outlive it.
    if (this.#child !== null) signalGroup(this.#pid, 'SIGKILL');
  }
}

function startScript(): string {
  return fileURLToPath(new URL('./start.sh', import.meta.url));
}
