import { assertNever } from '#kernel';
import { NodeProcess, type ProcessExit } from '#processes';
import type { Delta, Embedded, Finished } from '../port.ts';
import { engineProcess } from './engine-process.ts';
import type { ChildConfig, FromChild, ModelFacts, ToChild } from './protocol.ts';
import {
  ChildGone,
  diedUnder,
  type EmbedRequest,
  failureOf,
  type GenerateRequest,
  type Pending,
  type Prepared,
  type PrepareRequest,
  rejectAll,
  type SessionEvents,
  type SessionOptions,
} from './session-requests.ts';

const watchMs = 5_000;
const stopMs = 3_000;

export class Session {
  readonly config: ChildConfig;
  readonly #options: SessionOptions<Session>;
  readonly #events: SessionEvents;
  readonly #child: NodeProcess<ToChild, FromChild>;
  readonly #watch: NodeJS.Timeout;
  readonly #pending = new Map<number, Pending>();
  readonly #handles = new Set<string>();
  #lastId = 0;
  #preparing = 0;
  #heardMs: number;
  #state: 'loading' | 'ready' | 'gone' = 'loading';
  #facts: ModelFacts = { dimensions: 0, format: null, runsOn: '' };
  #stopping = false;
  /** Takes nothing new; ends when it has nothing left. */
  #retiring = false;

  constructor(options: SessionOptions<Session>, events: SessionEvents) {
    const { childScript: script, environment, config, log } = options;
    this.config = config;
    this.#options = options;
    this.#events = events;
    this.#heardMs = options.clock.monotonicMs();
    const libraryFolders = config.gpu ? config.gpu.libraryFolders : [];
    this.#child = new NodeProcess(
      engineProcess({ script, environment, name: config.modelId, log, libraryFolders }),
      (message) => this.#receive(message),
    );
    void this.#child.exited.then((exit) => this.#end(exit));
    this.#watch = setInterval(() => this.#lookForLife(), Math.min(watchMs, options.hangMs() / 4)).unref();
    this.#child.send({ type: 'load', config });
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  get facts(): ModelFacts {
    return this.#facts;
  }

  get ended(): Promise<unknown> {
    return this.#child.exited;
  }

  get alive(): boolean {
    return this.#state === 'ready';
  }

  get idle(): boolean {
    return this.#pending.size === 0 && this.#handles.size === 0;
  }

  steps(action: 'grant' | 'yield'): void {
    if (action === 'grant') this.#hear();
    this.#child.send({ type: action });
  }

  release(handle: string): void {
    this.#handles.delete(handle);
    this.#child.send({ type: 'release', handle });
    this.#endIfDone();
  }

  /** Rejects with `ChildGone` when the child dies, and with the signal's reason when the caller leaves. */
  prepare(request: PrepareRequest, signal: AbortSignal): Promise<Prepared> {
    return new Promise((resolve, reject) => {
      if (this.#state !== 'ready') return reject(new ChildGone('not running'));
      const pending: Pending = { kind: 'prepare', handle: request.handle, resolve, reject, left: false, forget };
      const id = this.#enter(pending, signal, () => reject(signal.reason));
      this.#preparing += 1;
      this.#child.send({ ...request, id });
    });
  }

  /** The caller's leaving ends it with reason `cancelled` and the time it took. */
  generate(request: GenerateRequest): Promise<Finished> {
    const { handle, sampling, cacheScope, signal, onDelta, keepsPrompt } = request;
    return new Promise((resolve, reject) => {
      if (this.#state !== 'ready') return reject(diedUnder('it was gone before the request began'));
      const pending: Pending = { kind: 'generate', onDelta, resolve, reject, left: false, forget };
      const id = this.#enter(pending, signal, (left) => this.#child.send({ type: 'cancel', id: left }));
      if (!keepsPrompt) this.#handles.delete(handle);
      this.#child.send({ type: 'generate', id, handle, sampling, cacheScope, keepsPrompt });
      this.#options.lease.want(this);
    });
  }

  /** Rejects with the signal's reason when the caller leaves, and with `refusal` when it takes longer than `limitMs`. */
  embed({ handle, signal, limitMs, refusal }: EmbedRequest): Promise<Embedded> {
    return new Promise((resolve, reject) => {
      if (this.#state !== 'ready') return reject(diedUnder('it was gone before the request began'));
      const pending: Pending = { kind: 'embed', resolve, reject, left: false, forget };
      const giveUp = (id: number, reason: unknown) => {
        this.#child.send({ type: 'cancel', id });
        reject(reason);
      };
      const id = this.#enter(pending, signal, (left) => giveUp(left, signal.reason));
      const timer = setTimeout(() => giveUp(id, refusal()), limitMs);
      const unlisten = pending.forget;
      pending.forget = () => {
        clearTimeout(timer);
        unlisten();
      };
      this.#handles.delete(handle);
      this.#child.send({ type: 'embed', id, handle });
      this.#options.lease.want(this);
    });
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    this.#child.send({ type: 'stop' });
    if (!(await this.#child.exitsWithin(stopMs))) this.#child.kill();
    await this.#child.exited;
  }

  retire(): void {
    this.#retiring = true;
    this.#endIfDone();
  }

  kill(): void {
    this.#child.kill();
  }

  #enter(request: Pending, signal: AbortSignal, onLeave: (id: number) => void): number {
    // The wait for a sign of life begins when there is something to answer.
    if (this.#pending.size === 0 || (request.kind === 'prepare' && this.#preparing === 0)) this.#hear();
    this.#lastId += 1;
    const id = this.#lastId;
    const onAbort = () => {
      request.left = true;
      onLeave(id);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    request.forget = () => signal.removeEventListener('abort', onAbort);
    this.#pending.set(id, request);
    return id;
  }

  #take(id: number): Pending | undefined {
    const request = this.#pending.get(id);
    if (request === undefined) return undefined;
    this.#pending.delete(id);
    request.forget();
    if (request.kind === 'prepare') this.#preparing -= 1;
    if (this.#retiring) queueMicrotask(() => this.#endIfDone());
    return request;
  }

  #endIfDone(): void {
    if (this.#retiring && this.idle && !this.#stopping) void this.stop();
  }

  #hear(): void {
    this.#heardMs = this.#options.clock.monotonicMs();
  }

  #receive(message: FromChild): void {
    this.#hear();
    switch (message.type) {
      case 'deltas':
        for (const { id, delta } of message.items) this.#deliver(id, delta);
        break;
      case 'prepared':
        this.#prepared(message);
        break;
      case 'finished':
        this.#finished(message);
        break;
      case 'embedded':
        this.#embedded(message);
        break;
      case 'failed':
        this.#take(message.id)?.reject(failureOf(message));
        break;
      case 'lease_back':
        // Work that was sent while the lease was on its way back waits in the child for the next grant.
        this.#options.lease.back(this, this.#pending.size > this.#preparing);
        break;
      case 'throughput':
        this.#events.throughput(message);
        break;
      case 'ready':
        this.#facts = message;
        this.#state = 'ready';
        this.#events.ready();
        break;
      case 'load_failed':
        this.#events.loadFailed(message.message);
        break;
      default:
        assertNever(message);
    }
  }

  #deliver(id: number, delta: Delta): void {
    const request = this.#pending.get(id);
    if (request?.kind !== 'generate' || request.left) return;
    try {
      request.onDelta(delta);
    } catch (error) {
      // A receiver that throws must not stop the others of this step.
      request.left = true;
      request.reject(error);
      this.#child.send({ type: 'cancel', id });
    }
  }

  #prepared(message: Extract<FromChild, { type: 'prepared' }>): void {
    const request = this.#take(message.id);
    if (request?.kind !== 'prepare') return;
    if (request.left) {
      this.release(request.handle);
      return;
    }
    this.#handles.add(request.handle);
    request.resolve({ promptTokens: message.promptTokens, inputs: message.inputs });
  }

  #finished(message: Extract<FromChild, { type: 'finished' }>): void {
    this.#events.worked();
    const request = this.#take(message.id);
    if (request?.kind !== 'generate') return;
    const { reason, usage, activeMs, stopText = null } = message;
    request.resolve({ reason, usage, activeMs, stopText });
  }

  #embedded(message: Extract<FromChild, { type: 'embedded' }>): void {
    this.#events.worked();
    const request = this.#take(message.id);
    if (request?.kind !== 'embed') return;
    const { vectors, promptTokens, activeMs } = message;
    request.resolve({ vectors, promptTokens, activeMs });
  }

  #end(exit: ProcessExit): void {
    this.#state = 'gone';
    clearInterval(this.#watch);
    this.#options.lease.gone(this);
    const requests = [...this.#pending.keys()].flatMap((id) => this.#take(id) ?? []);
    this.#events.gone({ ...exit, requests: requests.length });
    rejectAll(requests, exit);
  }

  #lookForLife(): void {
    const { lease, clock, log, config, hangMs } = this.#options;
    const atWork = this.#preparing > 0 || (this.#pending.size > 0 && lease.holder() === this);
    if (!atWork || clock.monotonicMs() - this.#heardMs < hangMs()) return;
    log('error', 'The engine child is silent at work; it is killed', { model: config.modelId, childPid: this.pid });
    this.kill();
  }
}

function forget(): void {}
