import { discard } from './connection-pool.ts';
import type { ServingRoute } from './serving-route.ts';
import type { Upstream } from './upstream.ts';

const askMs = 5_000;
/** Of calls that a vLLM without a reasoning parser refuses. */
const refused: ReadonlySet<number> = new Set([400, 422]);

/** What a call says so that the engine ends reasoning after so many tokens; nothing where the engine knows no such bound. */
export class ReasoningBound {
  readonly #upstream: Upstream;
  /** vLLM takes a bound; null: nobody knows yet. */
  #isTaken: boolean | null = null;

  constructor(upstream: Upstream) {
    this.#upstream = upstream;
  }

  async fieldsOf(route: ServingRoute, most: number, signal: AbortSignal): Promise<Record<string, unknown>> {
    switch (route.api) {
      case 'vllm':
        return (await this.#isTakenBy(route, signal)) ? { thinking_token_budget: most } : {};
      case 'sglang':
        // One that was not started for it passes over it.
        return { custom_params: { thinking_budget: most } };
      case 'llama-server':
        return { thinking_budget_tokens: most };
      default:
        return {};
    }
  }

  /** The engine was away: it may have been started in another way. */
  forget(): void {
    this.#isTaken = null;
  }

  /**
   * Started without a reasoning parser, vLLM refuses every call with a bound, streams only within their answer. So it is asked first,
   * with the shortest call there is. One that does not answer in time is asked again by the next call.
   */
  async #isTakenBy({ upstreamModel: model }: ServingRoute, signal: AbortSignal): Promise<boolean> {
    if (this.#isTaken !== null) return this.#isTaken;
    const messages = [{ role: 'user', content: '.' }];
    const body = { model, messages, max_tokens: 1, thinking_token_budget: 1 };
    const inTime = AbortSignal.timeout(askMs);
    try {
      const answer = await this.#upstream.post('/chat/completions', body, AbortSignal.any([signal, inTime]));
      discard(answer.body);
      if (answer.status === 200) this.#isTaken = true;
      else if (refused.has(answer.status)) this.#isTaken = false;
    } catch (error) {
      if (signal.aborted || !inTime.aborted) throw error;
    }
    return this.#isTaken ?? false;
  }
}
