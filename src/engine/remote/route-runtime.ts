import type { Clock } from '#kernel';
import type { Adapter } from '../port.ts';
import { AdapterFolder, type AdapterSource } from './adapters/adapter-folder.ts';
import type { RouteAdapters, RouteLog } from './adapters/route-adapters.ts';
import type { EngineDialect } from './dialect.ts';
import { engineDialects } from './dialects/index.ts';
import { HealthCheck, type HealthTiming } from './health-check.ts';
import { ReasoningLimit } from './reasoning-limit.ts';
import type { ServingRoute } from './serving-route.ts';
import { openUpstream, type Upstream } from './upstream.ts';

export type RoutedCall = {
  baseModelId: string;
  adapter: Adapter | null;
  scope: string;
  /** Digest of the beginning of the prompt; '' where nothing is to be chosen by it. */
  prefix: string;
  tokens: number;
  /** It has images. */
  needsVision?: boolean;
  tried: ReadonlySet<RouteRuntime>;
};

/** A route did not take a call, and nothing of it can have run there. */
export class RouteRefusal {
  readonly reason: string;
  readonly retryAfterSeconds: number | null;
  readonly isLoading: boolean;

  constructor(
    reason: string,
    { retryAfterSeconds = null, isLoading = false }: Partial<Omit<RouteRefusal, 'reason'>> = {},
  ) {
    this.reason = reason;
    this.retryAfterSeconds = retryAfterSeconds;
    this.isLoading = isLoading;
  }
}

export type RouteDeps = {
  clock: Clock;
  log: RouteLog;
  /** Without it no route serves adapters. */
  adapters?: AdapterSource;
  health?: Partial<HealthTiming>;
};

const maxPrefixes = 10_000;
/** Answers with fewer tokens say little about the throughput. */
const leastMeasuredTokens = 8;

/** One remote engine at run time: its connections, what it has to do, and whether it answers. */
export class RouteRuntime {
  readonly dialect: EngineDialect;
  readonly upstream: Upstream;
  /** null: it serves the base model only. */
  readonly adapters: RouteAdapters | null;
  readonly reasoningLimit: ReasoningLimit;
  /** Others are tried first until it has answered again: the call itself may have been the reason. */
  lastCallFailed = false;
  /** Of its calls: prompts, estimated. */
  outstandingTokens = 0;
  /** Smoothed, as the callers saw them; null: not measured yet. */
  decodeMsPerToken: number | null = null;
  callMs: number | null = null;
  #route: ServingRoute;
  readonly #calls = new Set<RoutedCall>();
  readonly #breaker = new CircuitBreaker();
  #answeredAtMs: number | null = null;
  readonly #prefixes = new Set<string>();
  readonly #clock: Clock;
  readonly #log: RouteLog;
  readonly #health: HealthCheck;
  #isClosing = false;

  constructor(route: ServingRoute, { clock, log, adapters, health }: RouteDeps) {
    this.#route = route;
    this.#clock = clock;
    this.#log = log;
    const dialect = engineDialects[route.api];
    const { url, secret, capacity } = route;
    const upstream = openUpstream({ url, secret, capacity, closesAfterStream: dialect.closesAfterStream });
    this.dialect = dialect;
    this.upstream = upstream;
    this.reasoningLimit = new ReasoningLimit(upstream, dialect);
    this.adapters = adapters ? this.#openAdapters(adapters) : null;
    this.#health = new HealthCheck(
      {
        url,
        upstream,
        path: dialect.healthPath,
        hasCalls: () => this.#calls.size > 0,
        onHealthy: () => this.answered(null),
        onFailure: (error) => {
          if (!this.#isClosing) this.failed(error);
        },
        onVanished: () => this.#failCalls(),
      },
      health,
    );
  }

  /** null: the engine is not set up for adapters, or has no way to choose one for each call. */
  #openAdapters(source: AdapterSource): RouteAdapters | null {
    const { id: routeId, kind, adaptersFolder: here = null, adaptersSeenAs = null } = this.#route;
    const { adapters } = this.dialect;
    if (here === null || adapters === null || (kind !== 'text' && !adapters.serveEmbeddings)) return null;
    const [upstream, clock, log] = [this.upstream, this.#clock, this.#log];
    const onCleanupError = (error: unknown) =>
      log('warn', 'adapter folder cleanup failed', { route: routeId, error: String(error) });
    const folder = new AdapterFolder({ here, there: adaptersSeenAs ?? here }, { source, onCleanupError });
    return adapters.open({ routeId, upstream, folder, clock, log });
  }

  get route(): ServingRoute {
    return this.#route;
  }

  get calls(): ReadonlySet<RoutedCall> {
    return this.#calls;
  }

  get status(): { isUp: boolean; error: string | null; answeredAtMs: number | null } {
    const { isClosed: isUp, lastError: error } = this.#breaker;
    return { isUp, error, answeredAtMs: this.#answeredAtMs };
  }

  get allowsCall(): boolean {
    return this.#breaker.allowsCall(this.#clock.monotonicMs());
  }

  get isOpen(): boolean {
    return !this.#route.draining && this.allowsCall;
  }

  get hasCapacity(): boolean {
    return this.#calls.size < this.#route.capacity;
  }

  hasPrefix(prefix: string): boolean {
    return this.#prefixes.has(prefix);
  }

  hasAdapter({ sha256 }: Adapter): boolean {
    return this.adapters?.has(sha256) === true;
  }

  /** Whether a call may have a slot there, once there is capacity. */
  mayTake({ adapter, tried, needsVision = false }: RoutedCall): boolean {
    if (needsVision && this.#route.vision !== true) return false;
    return this.isOpen && (adapter === null || this.adapters !== null) && !tried.has(this);
  }

  /** The same engine with other settings; whatever changes its connections makes it another one. */
  update(route: ServingRoute): void {
    this.#route = route;
  }

  enter(call: RoutedCall): void {
    this.#breaker.startCall(this.#clock.monotonicMs());
    this.#calls.add(call);
    this.outstandingTokens += call.tokens;
  }

  leave(call: RoutedCall): void {
    if (this.#calls.delete(call)) this.outstandingTokens -= call.tokens;
    this.#closeIfDone();
  }

  answered(prefix: string | null): void {
    if (!this.#breaker.isClosed) this.#log('info', 'serving route is up', { route: this.#route.id });
    this.#breaker.succeed();
    this.lastCallFailed = false;
    this.#answeredAtMs = this.#clock.nowMs();
    if (prefix === null) return;
    if (this.#prefixes.size >= maxPrefixes) this.#prefixes.clear();
    this.#prefixes.add(prefix);
  }

  failed(error: string): void {
    const wasClosed = this.#breaker.isClosed;
    this.#breaker.fail(error, this.#clock.monotonicMs());
    if (!wasClosed || this.#breaker.isClosed) return;
    this.adapters?.forget();
    this.reasoningLimit.forget();
    this.#log('warn', 'serving route is down', { route: this.#route.id, error });
  }

  measured(ms: number, completionTokens: number): void {
    this.callMs = smooth(this.callMs, ms);
    if (completionTokens >= leastMeasuredTokens)
      this.decodeMsPerToken = smooth(this.decodeMsPerToken, ms / completionTokens);
  }

  /** Takes nothing new; the connections go when the last call has gone. */
  retire(): void {
    this.#isClosing = true;
    this.#closeIfDone();
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    this.#health.stop();
    await this.upstream.close();
  }

  #closeIfDone(): void {
    if (this.#isClosing && this.#calls.size === 0) void this.close();
  }

  #failCalls(): void {
    const error = 'Nothing at its address has answered for half a minute.';
    this.#log('warn', 'calls of serving route failed', { route: this.#route.id, calls: this.#calls.size, error });
    this.upstream.failAll(error);
  }
}

const smooth = (average: number | null, value: number) => (average === null ? value : average * 0.9 + value * 0.1);

const maxFailures = 3;
const firstPauseMs = 1_000;
const maxPauseMs = 30_000;

/** Opens after some failures in a row. Then one call at a time is a trial, after pauses that grow, until a call or a health check succeeds. */
export class CircuitBreaker {
  #failures = 0;
  lastError: string | null = null;
  #retryAtMs: number | null = null;

  get isClosed(): boolean {
    return this.#retryAtMs === null;
  }

  allowsCall(nowMs: number): boolean {
    return this.#retryAtMs === null || nowMs >= this.#retryAtMs;
  }

  /** Other calls wait for the outcome of a trial. */
  startCall(nowMs: number): void {
    if (this.#retryAtMs !== null) this.#retryAtMs = nowMs + firstPauseMs;
  }

  succeed(): void {
    this.#failures = 0;
    this.lastError = null;
    this.#retryAtMs = null;
  }

  fail(error: string, nowMs: number): void {
    this.#failures += 1;
    this.lastError = error;
    const doublings = this.#failures - maxFailures;
    if (doublings >= 0) this.#retryAtMs = nowMs + Math.min(maxPauseMs, firstPauseMs * 2 ** Math.min(doublings, 10));
  }
}

/** A known prefix is worth this many tokens of waiting. */
const prefixWorthTokens = 4_096;
/** And so is an adapter that need not be loaded, and push another one out. */
const adapterWorthTokens = 16_384;

export type RouteCandidate = Pick<
  RouteRuntime,
  'mayTake' | 'hasCapacity' | 'lastCallFailed' | 'outstandingTokens' | 'hasPrefix' | 'hasAdapter'
> & { route: Pick<ServingRoute, 'id' | 'weight'>; calls: Pick<ReadonlySet<RoutedCall>, 'size'> };

/**
 * The routes that take a call now, the best first. One whose last answer failed comes behind all others: it is the first to be rid
 * of its calls, and would get every one of them. Then those that have its adapter or know the beginning of its prompt, unless they are
 * far busier than another, then those with the fewest outstanding tokens for their weight.
 */
export function rankRoutes<Candidate extends RouteCandidate>(
  candidates: readonly Candidate[],
  call: RoutedCall,
): Candidate[] {
  const { prefix, adapter } = call;
  const cost = (each: Candidate) =>
    each.outstandingTokens / each.route.weight -
    (each.hasPrefix(prefix) ? prefixWorthTokens : 0) -
    (adapter !== null && each.hasAdapter(adapter) ? adapterWorthTokens : 0);
  return candidates
    .filter((each) => each.hasCapacity && each.mayTake(call))
    .sort(
      (a, b) =>
        Number(a.lastCallFailed) - Number(b.lastCallFailed) ||
        cost(a) - cost(b) ||
        a.calls.size / a.route.weight - b.calls.size / b.route.weight ||
        (a.route.id < b.route.id ? -1 : 1),
    );
}
