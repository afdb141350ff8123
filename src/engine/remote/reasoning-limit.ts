import type { EngineDialect } from './dialect.ts';
import { discard, type Upstream } from './upstream.ts';
import type { JsonFields } from './wire.ts';

const probeMs = 5_000;
const refusedStatuses: ReadonlySet<number> = new Set([400, 422]);

/** Fields of a call that end reasoning after so many tokens; none where the engine has no such limit. */
export class ReasoningLimit {
  readonly #upstream: Upstream;
  readonly #limit: EngineDialect['reasoningLimit'];
  #isSupported: boolean | null = null;

  constructor(upstream: Upstream, { reasoningLimit }: EngineDialect) {
    this.#upstream = upstream;
    this.#limit = reasoningLimit;
  }

  async fieldsFor(model: string, maxTokens: number, signal: AbortSignal): Promise<JsonFields> {
    if (this.#limit === null) return {};
    const { mustProbe, fields } = this.#limit;
    if (mustProbe && !(await this.#probe(model, fields(1), signal))) return {};
    return fields(maxTokens);
  }

  /** The engine was away: it may have been started in another way. */
  forget(): void {
    this.#isSupported = null;
  }

  /** Sends the shortest call that there is. An engine that does not answer in time is probed again by the next call. */
  async #probe(model: string, limit: JsonFields, signal: AbortSignal): Promise<boolean> {
    if (this.#isSupported !== null) return this.#isSupported;
    const body = { model, messages: [{ role: 'user', content: '.' }], max_tokens: 1, ...limit };
    const timeout = AbortSignal.timeout(probeMs);
    try {
      const response = await this.#upstream.post('/chat/completions', body, AbortSignal.any([signal, timeout]));
      discard(response.body);
      if (response.status === 200) this.#isSupported = true;
      else if (refusedStatuses.has(response.status)) this.#isSupported = false;
    } catch (error) {
      if (signal.aborted || !timeout.aborted) throw error;
    }
    return this.#isSupported ?? false;
  }
}
