import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Place } from './network.ts';

const main = path.join(import.meta.dirname, '../../src/main.ts');
const keyPattern = /fnf_[0-9A-Za-z]{49}/;
const readyMs = 90_000;

/** A `fanfold serve` that can be killed, stopped and started again in its place. */
export class Replica {
  readonly name: string;
  readonly place: Place;
  readonly #environment: Record<string, string>;
  #dataDir: string | null = null;
  #child: ChildProcess | null = null;
  #output = '';

  constructor(name: string, place: Place, environment: Record<string, string>) {
    this.name = name;
    this.place = place;
    this.#environment = environment;
  }

  get url(): string {
    return `http://${this.place.host}:${this.place.port}`;
  }

  /** The key that the first start of a database prints. */
  get key(): string | null {
    return keyPattern.exec(this.#output)?.[0] ?? null;
  }

  async start(): Promise<void> {
    this.#dataDir ??= await mkdtemp(path.join(tmpdir(), `fanfold-${this.name}-`));
    const [command = '', ...args] = [...this.place.prefix, process.execPath, main, 'serve'];
    const child = spawn(command, args, {
      env: {
        ...process.env,
        HOST: this.place.host,
        PORT: String(this.place.port),
        FANFOLD_DATA_DIR: this.#dataDir,
        FANFOLD_LOG_LEVEL: 'warn',
        ...this.#environment,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (this.#output = (this.#output + chunk).slice(-20_000)));
    this.#child = child;
    const deadline = Date.now() + readyMs;
    while (Date.now() < deadline && child.exitCode === null) {
      if (await this.isReady()) return;
      await sleep(100);
    }
    throw new Error(`${this.name} does not start:\n${this.#output.slice(-4_000)}`);
  }

  async isReady(): Promise<boolean> {
    try {
      const response = await fetch(`${this.url}/readyz`, { signal: AbortSignal.timeout(1_000) });
      await response.text();
      return response.ok;
    } catch {
      return false;
    }
  }

  signal(name: 'SIGSTOP' | 'SIGCONT'): void {
    this.#child?.kill(name);
  }

  /** Ends it, and resolves when it has ended. */
  async end(name: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill(name);
    await ended;
  }

  async remove(): Promise<void> {
    await this.end('SIGKILL');
    if (this.#dataDir) await rm(this.#dataDir, { recursive: true, force: true, maxRetries: 5 });
  }
}
