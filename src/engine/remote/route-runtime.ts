import type { Clock } from '#kernel';
import type { Adapter } from '../port.ts';
import type { Entry, Wanted } from '../turns/admission.ts';
import { AdapterFolder, type AdapterSource } from './adapters/adapter-folder.ts';
import type { RouteAdapters, RouteLog } from './adapters/route-adapters.ts';
import { type Breaker, failed, isTried, succeeded, trying, upBreaker } from './breaker.ts';
import type { Candidate } from './choose-route.ts';
import type { EngineDialect } from './dialect.ts';
import { engineDialects } from './dialects/index.ts';
import { type HealthTiming, HealthWatch } from './health-watch.ts';
import { ReasoningLimit } from './reasoning-limit.ts';
import type { ServingRoute } from './serving-route.ts';
import { openUpstream, type Upstream } from './upstream.ts';

const mostPrefixes = 10_000;

export type RouteDeps = {
  clock: Clock;
  log: RouteLog;
  /** Without it no route serves adapters. */
  adapters?: AdapterSource;
  health?: Partial<HealthTiming>;
};

/** Is told of calls that have a place, and have left it. */
type Line = { came: (call: Wanted) => Entry; left: (entry: Entry) => void };

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
  #breaker: Breaker = upBreaker;
  #isDoubtful = false;
  #answeredAtMs: number | null = null;
  /** Measured, as the callers saw it; null until then. */
  #decodeMsPerToken: number | null = null;
  readonly #prefixes = new Set<string>();
  readonly #clock: Clock;
  readonly #log: RouteLog;
  readonly #health: HealthWatch;
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
    this.#health = new HealthWatch(
      {
        url,
        upstream,
        path: dialect.healthPath,
        hasCalls: () => this.#calls > 0,
        answered: () => this.answered(null),
        failed: (error) => {
          if (!this.#isClosing) this.failed(error);
        },
        gone: () => this.#failCalls(),
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
    const { retryAtMs, lastError } = this.#breaker;
    return { isUp: retryAtMs === null, error: lastError, answeredAtMs: this.#answeredAtMs };
  }

  get decodeMsPerToken(): number | null {
    return this.#decodeMsPerToken;
  }

  /** The same engine with other settings; whatever changes its connections makes it another one. */
  update(route: ServingRoute): void {
    this.#route = route;
  }

  candidate(prefix: string, adapter: Adapter | null): Candidate & { runtime: RouteRuntime } {
    const { id, weight, capacity, draining } = this.#route;
    return {
      ...{ id, weight, capacity, draining, calls: this.#calls, outstandingTokens: this.#tokens, runtime: this },
      isUp: this.isTried,
      isDoubtful: this.#isDoubtful,
      knowsPrefix: this.#prefixes.has(prefix),
      hasAdapter: adapter !== null && this.adapters?.has(adapter.sha256) === true,
    };
  }

  /** Whether a call may try it: its breaker is closed, or lets one through. */
  get isTried(): boolean {
    return isTried(this.#breaker, this.#clock.monotonicMs());
  }

  /** Takes calls once it has room. */
  get isOpen(): boolean {
    return !this.#route.draining && this.isTried;
  }

  get hasRoom(): boolean {
    return this.#calls < this.#route.capacity;
  }

  /** Takes a place for a call; returns how to leave it, which does nothing the second time. `line` counts it. */
  enter({ tokens, scope, work }: { tokens: number } & Wanted, line: Line): () => void {
    this.#breaker = trying(this.#breaker, this.#clock.monotonicMs());
    this.#calls += 1;
    this.#tokens += tokens;
    const entry = line.came({ scope, work });
    let isIn = true;
    return () => {
      if (!isIn) return;
      isIn = false;
      this.#calls -= 1;
      this.#tokens -= tokens;
      this.#endIfDone();
      line.left(entry);
    };
  }

  answered(prefix: string | null): void {
    if (this.#breaker.retryAtMs !== null) this.#log('info', 'A serving route is back.', { route: this.#route.id });
    this.#breaker = succeeded();
    this.#isDoubtful = false;
    this.#answeredAtMs = this.#clock.nowMs();
    if (prefix === null) return;
    if (this.#prefixes.size >= mostPrefixes) this.#prefixes.clear();
    this.#prefixes.add(prefix);
  }

  failed(error: string): void {
    const before = this.#breaker.retryAtMs;
    this.#breaker = failed(this.#breaker, { nowMs: this.#clock.monotonicMs(), error });
    if (before !== null || this.#breaker.retryAtMs === null) return;
    this.adapters?.forget();
    this.reasoningLimit.forget();
    this.#log('warn', 'A serving route is down.', { route: this.#route.id, error });
  }

  /** Its answer was none, which may be for what it was asked: others are asked first until it has answered again. */
  doubted(): void {
    this.#isDoubtful = true;
  }

  measured(ms: number, completionTokens: number): void {
    if (completionTokens < 8) return;
    const now = ms / completionTokens;
    this.#decodeMsPerToken = this.#decodeMsPerToken === null ? now : this.#decodeMsPerToken * 0.9 + now * 0.1;
  }

  /** Takes nothing new; the connections go when the last call has gone. */
  retire(): void {
    this.#isClosing = true;
    this.#endIfDone();
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    this.#health.stop();
    await this.upstream.close();
  }

  #endIfDone(): void {
    if (this.#isClosing && this.#calls === 0) void this.close();
  }

  #failCalls(): void {
    const error = 'Nothing at its address has answered for half a minute.';
    this.#log('warn', 'Calls of a serving route were given up.', { route: this.#route.id, calls: this.#calls, error });
    this.upstream.failAll(error);
  }
}
