import { discard } from './connection-pool.ts';
import { afterPatience } from './patience.ts';
import { isReachable } from './reachable.ts';
import type { Upstream } from './upstream.ts';

export type HealthTiming = {
  everyMs: number;
  /** Longest wait for an answer. */
  patienceMs: number;
  /** Whether anything at the engine's address answers a connection. */
  reaches: (url: string, patienceMs: number) => Promise<boolean>;
};

const defaultTiming: HealthTiming = { everyMs: 5_000, patienceMs: 2_000, reaches: isReachable };
/** So many times in a row nothing came back, and the calls that wait there have nobody to wait for: half a minute. */
const goneAfter = 6;

export type Watched = {
  url: string;
  upstream: Upstream;
  /** What is asked for. */
  path: string;
  hasCalls: () => boolean;
  answered: () => void;
  failed: (error: string) => void;
  /** The machine has vanished without a reset: neither it nor its network will ever end the calls there. */
  gone: () => void;
};

/** Looks after one engine, from time to time. */
export class HealthWatch {
  readonly #watched: Watched;
  readonly #timing: HealthTiming;
  readonly #timer: NodeJS.Timeout;
  #isLooking = false;
  #unreached = 0;

  constructor(watched: Watched, timing: Partial<HealthTiming> = {}) {
    this.#watched = watched;
    this.#timing = { ...defaultTiming, ...timing };
    this.#timer = setInterval(() => void this.#lookOnce(), this.#timing.everyMs).unref();
    void this.#lookOnce();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #lookOnce(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      const hasAnswered = await this.#asks();
      if (hasAnswered || !this.#watched.hasCalls()) this.#unreached = 0;
      else await this.#reach();
    } finally {
      this.#isLooking = false;
    }
  }

  /** Every such engine lists its models (TEI: tells about itself); what it answers matters less than that it does. */
  async #asks(): Promise<boolean> {
    const { upstream, path, answered, failed } = this.#watched;
    const patience = new AbortController();
    const receivedBefore = upstream.received;
    const callOff = afterPatience(this.#timing.patienceMs, () =>
      patience.abort(new Error('The health check was not answered in time.')),
    );
    try {
      const { status, body } = await upstream.get(path, patience.signal);
      discard(body);
      if (status === 200) answered();
      else failed(`The health check was answered ${status}.`);
      return true;
    } catch (error) {
      // Who says more of an answer meanwhile is alive, and too busy for this question.
      if (patience.signal.aborted && upstream.received > receivedBefore) return true;
      failed(error instanceof Error ? error.message : String(error));
      return false;
    } finally {
      callOff();
    }
  }

  /** Silence is no proof: an engine may work on for minutes without a word. */
  async #reach(): Promise<void> {
    const { url, gone } = this.#watched;
    const { reaches, patienceMs } = this.#timing;
    this.#unreached = (await reaches(url, patienceMs)) ? 0 : this.#unreached + 1;
    if (this.#unreached >= goneAfter) gone();
  }
}
