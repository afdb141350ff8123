import type { ProcessExit } from './managed-process.ts';
import { NodeProcess, type NodeProcessOptions } from './node-process.ts';

export type RequestMessage<Request> = { id: number; request: Request };
export type ResponseMessage<Response> =
  /** The program has started: from now on time counts. */
  | { type: 'ready' }
  | { type: 'response'; id: number; response: Response }
  | { type: 'failed'; id: number; message: string };

export type RequestProcessOptions = NodeProcessOptions & {
  /** Longest time without a response while there are requests, ms. */
  timeoutMs: number;
  /** The process ends when it has had no request for this long, ms. */
  idleMs: number;
};

/** The process ended before it answered. `wasServed`: it was at work on this request. */
export class ProcessGoneError extends Error {
  override readonly name = 'ProcessGoneError';
  readonly exit: ProcessExit;
  readonly wasServed: boolean;

  constructor(exit: ProcessExit, wasServed: boolean) {
    super(`The process ended: ${exit.reason} ${exit.tail}`.trim());
    this.exit = exit;
    this.wasServed = wasServed;
  }
}

type Child<Request, Response> = NodeProcess<RequestMessage<Request>, ResponseMessage<Response>>;
type Pending<Request, Response> = {
  child: Child<Request, Response>;
  resolve: (response: Response) => void;
  reject: (error: Error) => void;
};

/** Where processors are few, a start takes longer than most requests. */
const startTimeoutMs = 60_000;

/**
 * A process that answers requests one after the other (`serveRequests`). The first request starts it; it is killed when it is silent for
 * too long, and when it has nothing to do.
 */
export class RequestProcess<Request, Response> {
  readonly #options: RequestProcessOptions;
  readonly #pending = new Map<number, Pending<Request, Response>>();
  #child: Child<Request, Response> | null = null;
  #isReady = false;
  #lastId = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: RequestProcessOptions) {
    this.#options = options;
  }

  /** Rejects with `ProcessGoneError`, or with what the program threw. */
  request(request: Request): Promise<Response> {
    this.#child ??= this.#start();
    const child = this.#child;
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { child, resolve, reject });
      child.send({ id, request });
      this.#watch();
    });
  }

  /** Ends the process, if there is one; the next request starts another. */
  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    const child = this.#child;
    this.#child = null;
    child?.kill();
    await child?.exited;
  }

  #start(): Child<Request, Response> {
    this.#isReady = false;
    const child: Child<Request, Response> = new NodeProcess(this.#options, (message) => this.#receive(child, message));
    void child.exited.then((exit) => this.#end(child, exit));
    return child;
  }

  #receive(child: Child<Request, Response>, message: ResponseMessage<Response>): void {
    if (message.type === 'ready') {
      if (child === this.#child) this.#isReady = true;
    } else {
      const pending = this.#pending.get(message.id);
      this.#pending.delete(message.id);
      if (message.type === 'response') pending?.resolve(message.response);
      else pending?.reject(new Error(message.message));
    }
    this.#watch();
  }

  #watch(): void {
    const { timeoutMs, idleMs } = this.#options;
    clearTimeout(this.#timer);
    const isBusy = this.#pending.size > 0;
    const delayMs = !isBusy ? idleMs : this.#isReady ? timeoutMs : startTimeoutMs;
    this.#timer = setTimeout(() => {
      if (isBusy) this.#child?.kill();
      else void this.stop();
    }, delayMs).unref();
  }

  #end(child: Child<Request, Response>, exit: ProcessExit): void {
    if (this.#child === child) this.#child = null;
    // Requests are answered in their order.
    let wasServed = true;
    for (const [id, pending] of this.#pending) {
      if (pending.child !== child) continue;
      this.#pending.delete(id);
      pending.reject(new ProcessGoneError(exit, wasServed));
      wasServed = false;
    }
  }
}
