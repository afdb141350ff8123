import type { Clock } from '#kernel';
import type { Adapter } from '../port.ts';
import type { Entry, Wanted } from '../turns/admission.ts';
import type { AdapterSource } from './adapters/adapter-folder.ts';
import { openRouteAdapters, type RouteAdapters, type RouteLog } from './adapters/route-adapters.ts';
import { type Breaker, failed, isTried, succeeded, trying, upBreaker } from './breaker.ts';
import type { Candidate } from './choose-route.ts';
import { type HealthTiming, HealthWatch } from './health-watch.ts';
import { ReasoningBound } from './reasoning-bound.ts';
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
  readonly upstream: Upstream;
  /** null: it serves the base model only. */
  readonly adapters: RouteAdapters | null;
  readonly reasoningBound: ReasoningBound;
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
    this.upstream = openUpstream(route);
    const { upstream } = this;
    this.reasoningBound = new ReasoningBound(upstream);
    this.adapters = adapters ? openRouteAdapters(route, { upstream, source: adapters, clock, log }) : null;
    this.#health = new HealthWatch(
      {
        url: route.url,
        upstream,
        path: route.api === 'tei' ? '//health' : '/models',
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
    this.reasoningBound.forget();
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
