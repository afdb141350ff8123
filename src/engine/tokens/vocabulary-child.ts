import { fileURLToPath } from 'node:url';
import { fault } from '#kernel';
import { type ChildCommand, type EngineProcess, type Exit, type Log, startProcess } from '../llama/process.ts';
import { ChildGone, unreadable } from '../llama/session-requests.ts';
import type { Answer, FromCounter, Question, ToCounter } from './counter-protocol.ts';

export type VocabularyChildOptions = {
  environment?: Record<string, string | undefined>;
  log: Log;
  /** Replaces the child's program. */
  command?: ChildCommand;
  /** Longest time without an answer of the child, ms. */
  patienceMs?: number;
  /** The child ends when nothing was asked for this long, ms. */
  idleMs?: number;
  /** For questions in large numbers (`process.ts`). */
  youngMb?: number;
};

/** A child that dies under a question is replaced once. One that crashes at it is not: the question is to blame. */
const mostTries = 2;
const retryAfterSeconds = 5;

type Pending = {
  child: EngineProcess<ToCounter>;
  resolve: (answer: Answer) => void;
  reject: (error: unknown) => void;
};

/** One child process that knows the vocabularies of models; it starts with the first question. */
export class VocabularyChild {
  readonly #options: VocabularyChildOptions;
  readonly #pending = new Map<number, Pending>();
  #child: EngineProcess<ToCounter> | null = null;
  #lastId = 0;
  #timer: NodeJS.Timeout | null = null;
  #isClosed = false;

  constructor(options: VocabularyChildOptions) {
    this.#options = options;
  }

  /** Throws `capacity_unavailable` when answering fails or takes too long, and `invalid_request` with the field when the child crashes at a text. */
  async ask(question: Question, param: string | null = null): Promise<Answer> {
    for (let tries = 1; ; tries++)
      try {
        return await this.#askOnce(question);
      } catch (error) {
        if (error instanceof ChildGone && error.blame === 'certain') throw unreadable(param);
        if (!(error instanceof ChildGone) || tries >= mostTries) throw unavailable(error);
      }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#timer) clearTimeout(this.#timer);
    await this.#child?.stop();
  }

  async #askOnce(question: Question): Promise<Answer> {
    if (this.#isClosed) throw new Error('The counter is closed.');
    const id = ++this.#lastId;
    this.#child ??= this.#start();
    const child = this.#child;
    const answer = new Promise<Answer>((resolve, reject) => this.#pending.set(id, { child, resolve, reject }));
    child.send({ ...question, id });
    this.#watch();
    return answer;
  }

  #start(): EngineProcess<ToCounter> {
    const { command = { execPath: process.execPath, script: childScript() }, environment = {} } = this.#options;
    const { log, youngMb } = this.#options;
    const child: EngineProcess<ToCounter> = startProcess<ToCounter, FromCounter>(
      { command, environment, modelId: 'token counter', log, youngMb, isBehind: true },
      {
        message: (message) => this.#receive(message),
        gone: (exit) => this.#end(child, exit),
      },
    );
    return child;
  }

  #receive(message: FromCounter): void {
    const pending = this.#pending.get(message.id);
    this.#pending.delete(message.id);
    if (message.type === 'failed') pending?.reject(new Error(message.message));
    else pending?.resolve(message);
    this.#watch();
  }

  /** While something is asked, a silent child is given up; while nothing is, it ends after a while. */
  #watch(): void {
    const { patienceMs = 60_000, idleMs = 120_000 } = this.#options;
    if (this.#timer) clearTimeout(this.#timer);
    const [action, afterMs] =
      this.#pending.size > 0 ? [() => this.#child?.kill(), patienceMs] : [() => this.#rest(), idleMs];
    this.#timer = setTimeout(action, afterMs).unref();
  }

  #rest(): void {
    const child = this.#child;
    // The next question starts another one.
    this.#child = null;
    void child?.stop();
  }

  #end(child: EngineProcess<ToCounter>, { reason, tail, crashed }: Exit): void {
    if (this.#child === child) this.#child = null;
    // It answers in order.
    let blame: ChildGone['blame'] = crashed ? 'certain' : 'none';
    for (const [id, pending] of this.#pending) {
      if (pending.child !== child) continue;
      this.#pending.delete(id);
      pending.reject(new ChildGone(`${reason} ${tail}`, blame));
      blame = 'none';
    }
  }
}

function unavailable(cause: unknown) {
  return fault('capacity_unavailable', { message: 'Tokens cannot be counted at present.', retryAfterSeconds, cause });
}

function childScript(): string {
  return fileURLToPath(new URL('./counter-child.ts', import.meta.url));
}
