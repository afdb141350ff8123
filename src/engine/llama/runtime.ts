import { setTimeout as sleep } from 'node:timers/promises';
import { Fault, fault, messageOf } from '#kernel';
import type { EngineModel, RuntimeStatus, Throughput } from '../port.ts';
import { cannotLoad, notInstalled, stopping } from '../refusals.ts';
import { Admission } from './admission.ts';
import type { PlannedLoad } from './memory.ts';
import type { MemoryBytes } from './memory-protocol.ts';
import { fileBytes, stampOf } from './model-file.ts';
import { RunningSessions } from './running-sessions.ts';
import type { Failed, LoadAttempt, Loading, RuntimeOptions, RuntimeState } from './runtime-state.ts';
import { Session } from './session.ts';
import { backOffMs, deathsBeforeCpu, longestStepMs, ModelTimes, retryAfterSeconds } from './timing.ts';
import { Waiters } from './waiters.ts';

/** A child that dies so often before it is ready has a broken file or machine. */
const deathsBeforeFailed = 3;
const firstRestartMs = 250;
const firstRetryMs = 1_000;

/** One base model: its child's life from demand to unload, and everything that goes wrong on the way. */
export class ModelRuntime {
  readonly admission: Admission;
  readonly #options: RuntimeOptions;
  readonly #waiters = new Waiters<Session>();
  readonly #closing = new AbortController();
  readonly #sessions = new RunningSessions();
  #state: RuntimeState = { name: 'cold' };
  /** Of the file of the last load. */
  #stamp = '';
  readonly #times: ModelTimes;
  /** Deaths and failed loads in a row without a request served in between. */
  #failures = 0;
  #notBeforeMs = 0;

  constructor(options: RuntimeOptions) {
    this.#options = options;
    this.#times = new ModelTimes(() => fileBytes(options.model()?.ggufPath));
    const { maxQueue, capacityWaitMs } = options.settings;
    const limits = () => ({ sequences: this.#sequences(), maxQueue, maxWaitMs: capacityWaitMs });
    this.admission = new Admission(limits, options.clock, () => this.throughput());
  }

  /** The running child, if it serves the model as it is installed now. */
  ready(): Session | null {
    if (this.#state.name !== 'ready') return null;
    const { session, settings } = this.#state;
    if (settings === settingsOf(this.#installed())) return session;
    this.#retire();
    return null;
  }

  /**
   * A child that serves the model; starts it when needed. The load goes on when the caller leaves. Throws
   * `model_not_installed`, `model_warming` after the bounded wait, `capacity_unavailable` when the model cannot be loaded.
   */
  async acquire(signal: AbortSignal): Promise<Session> {
    this.#installed();
    if (this.#closing.signal.aborted) throw stopping();
    if (this.#state.name === 'failed') await this.#refuseUntilRetry(this.#state);
    const session = this.ready();
    if (session) return session;
    this.#start();
    return this.#waiters.wait({ signal, waitMs: this.#options.settings.warmWaitMs, late: () => this.warming() });
  }

  warm(): void {
    const retryMs = this.#state.name === 'failed' ? this.#state.untilMs : 0;
    if (this.#options.clock.monotonicMs() >= retryMs && this.#options.model() !== undefined) this.#start();
  }

  warming(): Fault {
    return fault('model_warming', { retryAfterSeconds: retryAfterSeconds(this.#etaMs()) });
  }

  status(): RuntimeStatus {
    const state = this.#state;
    return {
      status: state.name,
      etaMs: state.name === 'loading' ? Math.round(this.#etaMs()) : null,
      loadedAtMs: state.name === 'ready' ? state.loadedAtMs : null,
      error: state.name === 'failed' ? state.error : null,
      runsOn: state.name === 'ready' ? state.session.facts.runsOn : null,
    };
  }

  throughput(): Throughput {
    return this.#times.throughput;
  }

  /** For the memory plan, with all contexts for adapters that may still be made: of the child that serves, and of those that end. */
  memory(): { memory: MemoryBytes; idle: boolean; lastUsedMs: number }[] {
    const { lastUsedMs, used } = this.admission;
    const state = this.#state;
    return this.#sessions.all().flatMap((session) => {
      if (state.name === 'loading' && session === state.session) return [];
      const isServing = state.name === 'ready' && session === state.session;
      const idle = isServing && used === 0 && session.idle;
      return [{ memory: this.#sessions.memoryOf(session), idle, lastUsedMs }];
    });
  }

  async unload(reason: string): Promise<void> {
    if (this.#state.name !== 'ready') return;
    const { session } = this.#state;
    this.#state = { name: 'cold' };
    this.#log('info', 'Model unloaded', { reason, childPid: session.pid });
    await session.stop();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#waiters.rejectAll(stopping());
    await Promise.all(this.#sessions.all().map((session) => session.stop()));
  }

  #start(): void {
    if (this.#state.name === 'loading' || this.#state.name === 'ready' || this.#closing.signal.aborted) return;
    const sinceMs = this.#options.clock.monotonicMs();
    const state: Loading = { name: 'loading', sinceMs, session: null, error: null, settings: '' };
    this.#state = state;
    this.#begin(state, { usesGpu: this.#failures < deathsBeforeCpu });
  }

  #begin(state: Loading, attempt: LoadAttempt): void {
    this.#load(state, attempt).catch((error: unknown) => {
      if (this.#closing.signal.aborted) return;
      if (error instanceof Fault) {
        this.#state = { name: 'cold' };
        this.#waiters.rejectAll(error);
      } else {
        this.#failures += 1;
        this.#fail(messageOf(error), '');
      }
    });
  }

  async #load(state: Loading, attempt: LoadAttempt): Promise<void> {
    const { signal } = this.#closing;
    const { clock } = this.#options;
    const restMs = this.#notBeforeMs - clock.monotonicMs();
    if (restMs > 0) await sleep(restMs, undefined, { signal });
    const model = this.#installed();
    this.#stamp = await stampOf(model.ggufPath);
    state.settings = settingsOf(model);
    this.#times.loads();
    const planned = await this.#sessions.planned(() => this.#options.planLoad(model, attempt), signal);
    signal.throwIfAborted();
    state.sinceMs = clock.monotonicMs();
    state.session = this.#spawn(state, planned);
  }

  #spawn(state: Loading, { config, memory }: PlannedLoad): Session {
    const { childScript, environment, log, clock, lease, settings } = this.#options;
    const tooLong = setTimeout(() => {
      state.error = 'Loading took too long.';
      session.kill();
    }, this.#times.longestLoadMs);
    const hangMs = () => longestStepMs(this.throughput(), settings.batchTokens, settings.hangMs);
    const session: Session = new Session(
      { config, childScript, environment, log, clock, lease, hangMs },
      {
        ready: () => {
          clearTimeout(tooLong);
          this.#ready(state, session);
        },
        loadFailed: (message) => {
          state.error = message;
        },
        throughput: (measured) => this.#times.measured(measured),
        worked: () => {
          this.#failures = 0;
        },
        gone: (exit) => {
          clearTimeout(tooLong);
          this.#sessions.delete(session);
          this.#lost(session, exit);
        },
      },
    );
    this.#sessions.add(session, memory);
    return session;
  }

  #ready(state: Loading, session: Session): void {
    if (this.#state !== state) return;
    const loadMs = this.#options.clock.monotonicMs() - state.sinceMs;
    this.#times.loaded(loadMs);
    const { runsOn } = session.facts;
    this.#log('info', 'Model ready', { runsOn, loadMs: Math.round(loadMs), childPid: session.pid });
    this.#state = { name: 'ready', session, loadedAtMs: this.#options.clock.nowMs(), settings: state.settings };
    this.#unloadWhenIdle(session, this.#options.settings.idleUnloadMs);
    this.#waiters.resolveAll(session);
  }

  #lost(session: Session, exit: { reason: string; tail: string; requests: number }): void {
    const state = this.#state;
    if ((state.name !== 'ready' && state.name !== 'loading') || state.session !== session) return;
    this.#state = { name: 'cold' };
    if (this.#closing.signal.aborted) return;
    if (state.name === 'loading' && session.config.gpu) {
      this.#withoutGpu(state, exit);
      return;
    }
    this.#failures += 1;
    if (state.name === 'loading' && (state.error !== null || this.#failures >= deathsBeforeFailed)) {
      this.#fail(state.error ?? `The process ended while loading: ${exit.reason}`, exit.tail);
      return;
    }
    this.#log('error', 'The engine child died', { ...exit, childPid: session.pid, failures: this.#failures });
    // The first time it starts again at once; one that keeps dying without serving anybody must not keep the machine busy.
    this.#notBeforeMs = this.#options.clock.monotonicMs() + backOffMs(this.#failures - 1, firstRestartMs);
    if (exit.requests > 0 || this.#waiters.size > 0) this.#start();
  }

  /** A GPU whose driver is too old, or whose memory others hold, must not keep a model from all callers. The next load tries it again. */
  #withoutGpu(state: Loading, exit: { reason: string; tail: string }): void {
    this.#log('error', 'The GPU cannot be used; the model is loaded without it', { ...exit, error: state.error });
    const again: Loading = { ...state, error: null, session: null };
    this.#state = again;
    this.#begin(again, { usesGpu: false });
  }

  #fail(error: string, tail: string): void {
    const untilMs = this.#options.clock.monotonicMs() + backOffMs(this.#failures, firstRetryMs);
    const state: Failed = { name: 'failed', error, untilMs, stamp: this.#stamp };
    this.#state = state;
    this.#log('error', 'The model cannot be loaded', { reason: error, tail, failures: this.#failures });
    this.#waiters.rejectAll(this.#cannotLoad(state));
  }

  async #refuseUntilRetry(state: Failed): Promise<void> {
    const stamp = await stampOf(this.#installed().ggufPath);
    if (stamp === state.stamp && this.#options.clock.monotonicMs() < state.untilMs) throw this.#cannotLoad(state);
    if (stamp !== state.stamp) this.#failures = 0;
    if (this.#state === state) this.#state = { name: 'cold' };
  }

  #cannotLoad({ error, untilMs }: Failed): Fault {
    return cannotLoad(error, retryAfterSeconds(untilMs - this.#options.clock.monotonicMs()));
  }

  /** Removed or installed anew: those that run finish on the old child. */
  #retire(): void {
    if (this.#state.name !== 'ready') return;
    this.#state.session.retire();
    this.#state = { name: 'cold' };
  }

  #unloadWhenIdle(session: Session, waitMs: number): void {
    const { idleUnloadMs } = this.#options.settings;
    if (idleUnloadMs === 0) return;
    setTimeout(() => {
      if (this.#state.name !== 'ready' || this.#state.session !== session) return;
      const idleMs = this.#options.clock.monotonicMs() - this.admission.lastUsedMs;
      const idle = this.admission.used === 0 && session.idle;
      if (idle && idleMs >= idleUnloadMs) void this.unload('idle');
      else this.#unloadWhenIdle(session, idle ? idleUnloadMs - idleMs : idleUnloadMs);
    }, waitMs).unref();
  }

  #installed(): EngineModel {
    const { model, modelId } = this.#options;
    const found = model();
    if (found !== undefined) return found;
    this.#retire();
    throw notInstalled(modelId);
  }

  #etaMs(): number {
    const nowMs = this.#options.clock.monotonicMs();
    const elapsedMs = this.#state.name === 'loading' ? nowMs - this.#state.sinceMs : 0;
    return Math.max(0, this.#notBeforeMs - nowMs) + this.#times.remainingLoadMs(elapsedMs);
  }

  /** Calls that it runs at once, or will. */
  #sequences(): number {
    const { model, settings } = this.#options;
    if (this.#state.name === 'ready') return this.#state.session.config.sequences;
    return model()?.sequences ?? settings.sequences;
  }

  #log(level: 'info' | 'error', message: string, fields: Record<string, unknown>): void {
    this.#options.log(level, message, { model: this.#options.modelId, ...fields });
  }
}

/** A child that was loaded with other ones serves nobody any more. */
function settingsOf({ ggufPath, maxContextTokens, sequences = null, kv = 'f16' }: EngineModel): string {
  return JSON.stringify([ggufPath, maxContextTokens, sequences, kv]);
}
