import { fileURLToPath } from 'node:url';
import { fault } from '#kernel';
import { type ProcessEnvironment, ProcessGoneError, RequestProcess } from '#processes';
import { FairSemaphore } from '../fair-queue.ts';
import { stopping } from '../refusals.ts';
import type { OutputFormatSpec } from '../text/formats/output-format.ts';
import { fieldOf, type GrammarInput, type GrammarTexts, tooComplex } from '../text/grammar.ts';
import { type EngineLog, engineProcess } from './engine-process.ts';
import type { CompileRequest, CompileResult } from './grammar-child.ts';
import { RecentCache } from './recent-cache.ts';

export type GrammarCompilerOptions = {
  log: EngineLog;
  environment: ProcessEnvironment;
  limitMs?: number;
};

export type GrammarRequest = { input: GrammarInput; format: OutputFormatSpec; scope: string; signal: AbortSignal };

const defaultLimitMs = 3_000;
const idleMs = 600_000;
/** More memory than any schema takes that is not refused. */
const heapMb = 192;
const mostCached = { count: 64, characters: 4_000_000 };

/**
 * Turns schemas into grammars in a process of its own: hundreds of milliseconds of work and much memory for one hostile schema, which
 * neither the server nor a model's process may spend. One at a time; accounts take turns. The latest results are cached.
 */
export class GrammarCompiler {
  readonly #options: GrammarCompilerOptions;
  readonly #process: RequestProcess<CompileRequest, CompileResult>;
  readonly #semaphore = new FairSemaphore();
  readonly #cache = new RecentCache<CompileResult>(mostCached);

  constructor(options: GrammarCompilerOptions) {
    const { log, environment, limitMs = defaultLimitMs } = options;
    const script = fileURLToPath(new URL('./grammar-child.ts', import.meta.url));
    this.#options = options;
    this.#process = new RequestProcess({
      ...engineProcess({ script, environment, name: 'grammars', log, oldMb: heapMb, hasLowPriority: true }),
      timeoutMs: limitMs,
      idleMs,
    });
  }

  /** Throws `invalid_request` where the request cannot be enforced, and the signal's reason when the caller leaves. */
  async of({ input: whole, format, scope, signal }: GrammarRequest): Promise<GrammarTexts> {
    const { responseFormat, toolChoice, tools, parallelToolCalls } = whole;
    const constraints: GrammarInput = { responseFormat, toolChoice, tools, parallelToolCalls };
    const input = JSON.stringify(constraints);
    const key = `${JSON.stringify(format)} ${input}`;
    const compile = () => this.#compile({ input, format }, key, constraints);
    const result = this.#cache.get(key) ?? (await this.#semaphore.run(scope, signal, compile));
    if ('refused' in result) throw fault('invalid_request', { message: result.refused, param: result.param });
    return result;
  }

  async close(): Promise<void> {
    this.#semaphore.close(stopping);
    await this.#process.stop();
  }

  async #compile(request: CompileRequest, key: string, input: GrammarInput): Promise<CompileResult> {
    try {
      const result = this.#cache.get(key) ?? (await this.#process.request(request));
      this.#cache.set(key, result, charactersOf(key, result));
      return result;
    } catch (error) {
      if (!(error instanceof ProcessGoneError)) throw error;
      const { reason, tail } = error.exit;
      this.#options.log('warn', 'Schema refused: it took too much time or memory to compile', { reason, tail });
      // Not cached: it may have been the machine that had no time.
      return { refused: tooComplex, param: fieldOf(input) };
    }
  }
}

function charactersOf(key: string, result: CompileResult): number {
  if ('refused' in result) return key.length + result.refused.length;
  const { whole, calls } = result;
  return key.length + (whole?.atStart.length ?? 0) + (whole?.afterReasoning.length ?? 0) + (calls?.length ?? 0);
}
