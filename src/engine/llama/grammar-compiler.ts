import { fileURLToPath } from 'node:url';
import { type Fault, fault } from '#kernel';
import { stopping } from '../refusals.ts';
import type { Asked } from '../text/grammar.ts';
import { fieldOf, type GrammarTexts, isConstrained, noGrammars, tooComplex } from '../text/grammar-texts.ts';
import type { ToolSyntax } from '../text/template.ts';
import { FairQueue } from '../turns/fair-queue.ts';
import type { FromGrammarChild, ToGrammarChild } from './grammar-protocol.ts';
import { type EngineProcess, type Log, startProcess } from './process.ts';

export type GrammarCompilerOptions = {
  log: Log;
  environment: Record<string, string | undefined>;
  /** How long one request may take. */
  limitMs?: number;
};

export type GrammarRequest = { asked: Asked; syntax: ToolSyntax; scope: string; signal: AbortSignal };

/** Why a request cannot be enforced. */
type Refusal = { refused: string; param: string };
type Result = GrammarTexts | Refusal;

type Job = {
  id: number;
  scope: string;
  asked: Asked;
  key: string;
  message: ToGrammarChild;
  end: (result: Result) => void;
  /** It was not looked at to its end. */
  fail: (error: Fault) => void;
};

const limitMs = 3_000;
/** So much memory of its own is more than any schema takes that is not refused. */
const heapMb = 192;
const mostKept = 64;
const mostCharacters = 4_000_000;

/**
 * Turns schemas into grammars in a process of its own: hundreds of milliseconds of work and much memory for one hostile schema, which
 * neither the server nor a model's process may spend. One at a time; accounts take turns. What was asked for last is kept.
 */
export class GrammarCompiler {
  readonly #options: GrammarCompilerOptions;
  readonly #queue = new FairQueue<Job>();
  /** The least recently used first. */
  readonly #kept = new Map<string, Result>();
  #keptCharacters = 0;
  #child: EngineProcess<ToGrammarChild> | null = null;
  #running: { job: Job; timer: NodeJS.Timeout | undefined } | null = null;
  /** The process has started. */
  #isReady = false;
  /** When a scope had its last turn. */
  readonly #lastTurns = new Map<string, number>();
  #turns = 0;
  #lastId = 0;
  #isClosed = false;

  constructor(options: GrammarCompilerOptions) {
    this.#options = options;
  }

  /** Throws `invalid_request` where the request cannot be enforced, and the signal's reason when the caller leaves. */
  async of({ asked: whole, syntax, scope, signal }: GrammarRequest): Promise<GrammarTexts> {
    if (!isConstrained(whole)) return noGrammars;
    const { responseFormat, toolChoice, tools, parallelToolCalls } = whole;
    const asked: Asked = { responseFormat, toolChoice, tools, parallelToolCalls };
    const text = JSON.stringify(asked);
    const key = `${syntax} ${text}`;
    const result = this.#known(key) ?? (await this.#compile({ asked, key, scope, text, syntax, signal }));
    if ('refused' in result) throw fault('invalid_request', { message: result.refused, param: result.param });
    return result;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const none = () => 0;
    for (let job = this.#queue.shift(none); job !== null; job = this.#queue.shift(none)) job.fail(stopping());
    await this.#child?.stop();
  }

  #known(key: string): Result | undefined {
    const known = this.#kept.get(key);
    if (known === undefined) return undefined;
    this.#kept.delete(key);
    this.#kept.set(key, known);
    return known;
  }

  #compile(
    request: Omit<Job, 'id' | 'message' | 'end' | 'fail'> & { text: string; syntax: ToolSyntax; signal: AbortSignal },
  ) {
    const { asked, key, scope, text, syntax, signal } = request;
    return new Promise<Result>((resolve, reject) => {
      signal.throwIfAborted();
      if (this.#isClosed) throw stopping();
      this.#lastId += 1;
      const id = this.#lastId;
      const leave = () => {
        this.#queue.remove(id);
        reject(signal.reason);
      };
      signal.addEventListener('abort', leave, { once: true });
      this.#queue.push({
        ...{ id, scope, asked, key },
        message: { type: 'compile', id, asked: text, syntax },
        end: (result) => {
          signal.removeEventListener('abort', leave);
          resolve(result);
        },
        fail: (error) => {
          signal.removeEventListener('abort', leave);
          reject(error);
        },
      });
      this.#next();
    });
  }

  #next(): void {
    if (this.#running !== null || this.#isClosed) return;
    const job = this.#queue.shift((scope) => this.#lastTurns.get(scope) ?? 0);
    if (job === null) {
      this.#lastTurns.clear();
      return;
    }
    this.#turns += 1;
    this.#lastTurns.set(job.scope, this.#turns);
    this.#child ??= this.#start();
    this.#running = { job, timer: this.#isReady ? this.#limit() : undefined };
    this.#child.send(job.message);
  }

  #limit(): NodeJS.Timeout {
    return setTimeout(() => this.#child?.kill(), this.#options.limitMs ?? limitMs);
  }

  #end(result: Result): void {
    if (this.#running === null) return;
    const { job, timer } = this.#running;
    clearTimeout(timer);
    this.#running = null;
    job.end(result);
    this.#next();
  }

  #start(): EngineProcess<ToGrammarChild> {
    const { log, environment } = this.#options;
    const command = {
      execPath: process.execPath,
      script: fileURLToPath(new URL('./grammar-child.ts', import.meta.url)),
    };
    const child = startProcess<ToGrammarChild, FromGrammarChild>(
      { command, environment, modelId: 'grammars', log, oldMb: heapMb, isBehind: true },
      {
        message: (message) => {
          if (message.type === 'ready') {
            this.#isReady = true;
            // Where processors are few, a start takes longer than any schema.
            if (this.#running !== null) this.#running.timer = this.#limit();
            return;
          }
          if (message.id !== this.#running?.job.id) return;
          const isTaken = message.type === 'compiled';
          const result = isTaken ? message.texts : { refused: message.message, param: message.param };
          this.#keep(this.#running.job.key, result);
          this.#end(result);
        },
        gone: ({ reason, tail }) => {
          if (this.#child === child) this.#child = null;
          this.#isReady = false;
          if (this.#running === null) return;
          if (this.#isClosed) {
            clearTimeout(this.#running.timer);
            this.#running.job.fail(stopping());
            return;
          }
          log('warn', 'A schema took too much time or memory to be enforced, and was refused', { reason, tail });
          // It is not kept: it may have been the machine that had no time.
          this.#end({ refused: tooComplex, param: fieldOf(this.#running.job.asked) });
        },
      },
    );
    return child;
  }

  #keep(key: string, result: Result): void {
    if (this.#kept.has(key)) return;
    this.#kept.set(key, result);
    this.#keptCharacters += charactersOf(key, result);
    for (const [oldest, kept] of this.#kept) {
      if (this.#kept.size <= mostKept && this.#keptCharacters <= mostCharacters) break;
      this.#kept.delete(oldest);
      this.#keptCharacters -= charactersOf(oldest, kept);
    }
  }
}

function charactersOf(key: string, result: Result): number {
  if ('refused' in result) return key.length + result.refused.length;
  const { whole, calls } = result;
  return key.length + (whole?.atStart.length ?? 0) + (whole?.afterReasoning.length ?? 0) + (calls?.length ?? 0);
}
