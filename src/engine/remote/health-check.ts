import { connect } from 'node:net';
import { discard, type Upstream } from './upstream.ts';

export type HealthTiming = {
  everyMs: number;
  timeoutMs: number;
  probe: (url: string, timeoutMs: number) => Promise<boolean>;
};

const defaultTiming: HealthTiming = { everyMs: 5_000, timeoutMs: 2_000, probe: probeConnection };
/** After so many checks in a row without any sign of the machine its calls have nobody to wait for: half a minute. */
const maxUnreachedChecks = 6;

export type HealthTarget = {
  url: string;
  upstream: Upstream;
  path: string;
  hasCalls: () => boolean;
  onHealthy: () => void;
  onFailure: (error: string) => void;
  /** The machine has vanished without a reset: neither it nor its network will ever end the calls there. */
  onVanished: () => void;
};

export class HealthCheck {
  readonly #target: HealthTarget;
  readonly #timing: HealthTiming;
  readonly #timer: NodeJS.Timeout;
  #isRunning = false;
  #unreachedChecks = 0;

  constructor(target: HealthTarget, timing: Partial<HealthTiming> = {}) {
    this.#target = target;
    this.#timing = { ...defaultTiming, ...timing };
    this.#timer = setInterval(() => void this.#run(), this.#timing.everyMs).unref();
    void this.#run();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #run(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    try {
      const hasAnswered = await this.#request();
      if (hasAnswered || !this.#target.hasCalls()) this.#unreachedChecks = 0;
      else await this.#probe();
    } finally {
      this.#isRunning = false;
    }
  }

  async #request(): Promise<boolean> {
    const { upstream, path, onHealthy, onFailure } = this.#target;
    const abort = new AbortController();
    const receivedBefore = upstream.received;
    const cancel = startTimeout(this.#timing.timeoutMs, () =>
      abort.abort(new Error('The health check was not answered in time.')),
    );
    try {
      const { status, body } = await upstream.get(path, abort.signal);
      discard(body);
      if (status === 200) onHealthy();
      else onFailure(`The health check was answered ${status}.`);
      return true;
    } catch (error) {
      // An engine that goes on with an answer meanwhile is alive, and too busy for this request.
      if (abort.signal.aborted && upstream.received > receivedBefore) return true;
      onFailure(error instanceof Error ? error.message : String(error));
      return false;
    } finally {
      cancel();
    }
  }

  /** Silence is no proof: an engine may work on for minutes without a word. */
  async #probe(): Promise<void> {
    const { url, onVanished } = this.#target;
    const { probe, timeoutMs } = this.#timing;
    this.#unreachedChecks = (await probe(url, timeoutMs)) ? 0 : this.#unreachedChecks + 1;
    if (this.#unreachedChecks >= maxUnreachedChecks) onVanished();
  }
}

/** Nobody is there to refuse a connection. A refusal, a name that is not found and everything else prove nothing of the kind. */
const unansweredCodes = new Set(['ETIMEDOUT', 'EHOSTUNREACH', 'EHOSTDOWN', 'ENETUNREACH']);

/**
 * Whether the machine at this address answers a new connection, be it with a refusal. False only when nothing at all comes back:
 * an engine that is busy, or stands still, is reached all the same, because its kernel takes the connection.
 */
export function probeConnection(url: string, timeoutMs: number): Promise<boolean> {
  const { hostname, port, protocol } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  return new Promise((resolve) => {
    const socket = connect({ host, port: Number(port) || (protocol === 'https:' ? 443 : 80) });
    const cancel = startTimeout(timeoutMs, () => end(false));
    const end = (isReached: boolean) => {
      cancel();
      socket.destroy();
      resolve(isReached);
    };
    socket.once('connect', () => end(true));
    socket.once('error', (error) => end(!isUnanswered(error)));
  });
}

export function isUnanswered(error: Error & { code?: string; errors?: unknown[] }): boolean {
  const { code, errors } = error;
  if (Array.isArray(errors) && errors.length > 0)
    return errors.every((each) => each instanceof Error && isUnanswered(each));
  return code !== undefined && unansweredCodes.has(code);
}

const timeoutParts = 8;

/**
 * Calls back after so long; returns how to cancel. The time passes in parts, and what has arrived is read after each of them: while this
 * process was blocked, a response may have arrived that nobody has read, so that time counts for one part at most.
 */
function startTimeout(ms: number, onTimeout: () => void): () => void {
  let left = timeoutParts;
  const wait = () => setTimeout(next, ms / timeoutParts).unref();
  const next = () => {
    left -= 1;
    if (left === 0) onTimeout();
    else timer = wait();
  };
  let timer = wait();
  return () => clearTimeout(timer);
}
