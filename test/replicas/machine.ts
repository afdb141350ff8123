import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Place } from './network.ts';

export type Launch = { args: readonly string[]; environment: Record<string, string> };

export type MachineOptions = {
  name: string;
  place: Place;
  /** Command and arguments of what it runs, and what is set there. */
  launch: () => Promise<Launch>;
  isReady: () => Promise<boolean>;
  /** What it starts outlives it, and ends with the machine only. */
  leavesChildren?: boolean;
};

const readyMs = 150_000;
const backMs = 90_000;

/** A program in its place that can be killed, stopped and started again, as a machine that has one task. */
export class Machine {
  readonly name: string;
  readonly place: Place;
  readonly #options: MachineOptions;
  #child: ChildProcess | null = null;
  #output = '';

  constructor(options: MachineOptions) {
    this.name = options.name;
    this.place = options.place;
    this.#options = options;
  }

  /** The end of what it has said. */
  get output(): string {
    return this.#output;
  }

  async start(): Promise<void> {
    const { args, environment } = await this.#options.launch();
    const [command = '', ...rest] = [...this.place.prefix, ...args];
    const env = { ...process.env, ...environment };
    // Some end when their standard input does: with this process, however that ends.
    const child = spawn(command, rest, { env, stdio: ['pipe', 'pipe', 'pipe'] });
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => {
        this.#output = (this.#output + chunk).slice(-40_000);
      });
    this.#child = child;
    await this.untilReady(readyMs);
  }

  isReady(): Promise<boolean> {
    return this.#options.isReady();
  }

  /** After it was away. */
  async untilReady(patienceMs = backMs): Promise<void> {
    const deadline = Date.now() + patienceMs;
    while (!(await this.isReady())) {
      if (Date.now() > deadline || this.#hasEnded()) throw new Error(`${this.name} is not ready:\n${this.#output}`);
      await sleep(100);
    }
  }

  signal(name: 'SIGSTOP' | 'SIGCONT'): void {
    this.#child?.kill(name);
  }

  /** Ends it, and resolves when it has ended. */
  async end(name: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const child = this.#child;
    if (!child || this.#hasEnded()) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill(name);
    if (this.#options.leavesChildren && name === 'SIGKILL') await this.place.powerOff?.();
    await ended;
  }

  /** Whether it can be killed as a whole. Elsewhere its children would stay, and be in the way of the next start. */
  get isMortal(): boolean {
    return !this.#options.leavesChildren || this.place.powerOff !== null;
  }

  /** Ends it for good. */
  remove(): Promise<void> {
    return this.end(this.isMortal ? 'SIGKILL' : 'SIGTERM');
  }

  #hasEnded(): boolean {
    const child = this.#child;
    return child !== null && (child.exitCode !== null || child.signalCode !== null);
  }
}

/** Whether this address answers that all is well. */
export async function isWell(url: string, headers: Record<string, string> = {}): Promise<boolean> {
  try {
    const response = await fetch(url, { headers, signal: AbortSignal.timeout(1_000) });
    await response.text();
    return response.ok;
  } catch {
    return false;
  }
}
