import type { Clock } from '#kernel';
import type { Adapter } from '../port.ts';
import type { Entry, Wanted } from '../turns/admission.ts';
import { AdapterFolder, type AdapterSource } from './adapters/adapter-folder.ts';
import type { RouteAdapters, RouteLog } from './adapters/route-adapters.ts';
import { CircuitBreaker } from './circuit-breaker.ts';
import type { EngineDialect } from './dialect.ts';
import { engineDialects } from './dialects/index.ts';
import { HealthCheck, type HealthTiming } from './health-check.ts';
import { ReasoningLimit } from './reasoning-limit.ts';
import type { RouteCandidate } from './route-ranking.ts';
import type { ServingRoute } from './serving-route.ts';
import { openUpstream, type Upstream } from './upstream.ts';

const maxPrefixes = 10_000;

export type RouteDeps = {
  clock: Clock;
  log: RouteLog;
  /** Without it no route serves adapters. */
  adapters?: AdapterSource;
  health?: Partial<HealthTiming>;
};

/** Counts the calls that have a slot. */
type CallCounter = { enter: (call: Wanted) => Entry; leave: (entry: Entry) => void };

/** One remote engine at run time: its connections, what it has to do, and whether it answers. */
export class RouteRuntime {
  readonly dialect: EngineDialect;
  readonly upstream: Upstream;
  /** null: it serves the base model only. */
  readonly adapters: RouteAdapters | null;
  readonly reasoningLimit: ReasoningLimit;
  #route: ServingRoute;
  #calls = 0;
  #tokens = 0;
  readonly #breaker = new CircuitBreaker();
  /** Others are tried first until it has answered again: the call itself may have been the reason. */
  #lastCallFailed = false;
  #answeredAtMs: number | null = null;
  /** Measured, as the callers saw it; null until then. */
  #decodeMsPerToken: number | null = null;
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
        hasCalls: () => this.#calls > 0,
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
    if (here === null || adapters === null || (kind === 'embedding' && !adapters.serveEmbeddings)) return null;
    const [upstream, clock, log] = [this.upstream, this.#clock, this.#log];
    const onCleanupError = (error: unknown) =>
      log('warn', 'adapter folder cleanup failed', { route: routeId, error: String(error) });
    const folder = new AdapterFolder({ here, there: adaptersSeenAs ?? here }, { source, onCleanupError });
    return adapters.open({ routeId, upstream, folder, clock, log });
  }

  get route(): ServingRoute {
    return this.#route;
  }

  get calls(): number {
    return this.#calls;
  }

  get status(): { isUp: boolean; error: string | null; answeredAtMs: number | null } {
    const { isClosed: isUp, lastError: error } = this.#breaker;
    return { isUp, error, answeredAtMs: this.#answeredAtMs };
  }

  get decodeMsPerToken(): number | null {
    return this.#decodeMsPerToken;
  }

  /** The same engine with other settings; whatever changes its connections makes it another one. */
  update(route: ServingRoute): void {
    this.#route = route;
  }

  candidate(prefix: string, adapter: Adapter | null): RouteCandidate & { runtime: RouteRuntime } {
    const { id, weight, capacity, draining } = this.#route;
    return {
      runtime: this,
      id,
      weight,
      capacity,
      draining,
      calls: this.#calls,
      outstandingTokens: this.#tokens,
      isUp: this.allowsCall,
      lastCallFailed: this.#lastCallFailed,
      knowsPrefix: this.#prefixes.has(prefix),
      hasAdapter: adapter !== null && this.adapters?.has(adapter.sha256) === true,
    };
  }

  /** Its breaker is closed, or allows a trial. */
  get allowsCall(): boolean {
    return this.#breaker.allowsCall(this.#clock.monotonicMs());
  }

  /** Takes calls once it has room. */
  get isOpen(): boolean {
    return !this.#route.draining && this.allowsCall;
  }

  get hasRoom(): boolean {
    return this.#calls < this.#route.capacity;
  }

  /** Takes a slot for a call; returns how to leave it, which does nothing the second time. */
  enter({ tokens, scope, work }: { tokens: number } & Wanted, counter: CallCounter): () => void {
    this.#breaker.startCall(this.#clock.monotonicMs());
    this.#calls += 1;
    this.#tokens += tokens;
    const entry = counter.enter({ scope, work });
    let isIn = true;
    return () => {
      if (!isIn) return;
      isIn = false;
      this.#calls -= 1;
      this.#tokens -= tokens;
      this.#closeIfDone();
      counter.leave(entry);
    };
  }

  answered(prefix: string | null): void {
    if (!this.#breaker.isClosed) this.#log('info', 'serving route is up', { route: this.#route.id });
    this.#breaker.succeed();
    this.#lastCallFailed = false;
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

  /** A call that it had begun has failed. */
  callFailed(): void {
    this.#lastCallFailed = true;
  }

  measured(ms: number, completionTokens: number): void {
    if (completionTokens < 8) return;
    const now = ms / completionTokens;
    this.#decodeMsPerToken = this.#decodeMsPerToken === null ? now : this.#decodeMsPerToken * 0.9 + now * 0.1;
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
    if (this.#isClosing && this.#calls === 0) void this.close();
  }

  #failCalls(): void {
    const error = 'Nothing at its address has answered for half a minute.';
    this.#log('warn', 'calls of serving route failed', { route: this.#route.id, calls: this.#calls, error });
    this.upstream.failAll(error);
  }
}
