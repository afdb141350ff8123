import type { Delta, TokenLogprob } from '../port.ts';
import type { OutputPhase } from './output-markers.ts';

/** Behind a token in one of these, what it said is content, or may still become it. */
const contentPhases: ReadonlySet<OutputPhase> = new Set(['start', 'answer', 'call']);

/**
 * Puts the log probabilities of tokens to the content that they became. Text may wait behind its token, for a stop text or a marker, and is
 * left out where it is reasoning, a call or a stop text.
 */
export class ContentLogprobs {
  #waiting: { logprob: TokenLogprob; length: number }[] = [];
  /** Characters of content beyond those of the tokens that went with it. */
  #ahead = 0;

  /** `deltas`: what came of these tokens and of the text that waited, which `phase` the output is in then. */
  push(
    tokens: readonly { logprob: TokenLogprob; length: number }[],
    deltas: readonly Delta[],
    phase: OutputPhase,
  ): Delta[] {
    this.#waiting.push(...tokens);
    const marked = deltas.map((delta) => this.#mark(delta));
    if (!contentPhases.has(phase)) this.#forget();
    return marked;
  }

  #mark(delta: Delta): Delta {
    if (delta.type !== 'content') {
      // The last token may hold the end of this and the beginning of content. How much of each does not matter any more.
      const last = this.#waiting.at(-1);
      this.#forget();
      if (last !== undefined && delta.type === 'reasoning') this.#waiting.push({ ...last, length: 0 });
      return delta;
    }
    this.#ahead += delta.text.length;
    const logprobs: TokenLogprob[] = [];
    for (let next = this.#waiting[0]; next !== undefined && this.#ahead > 0; next = this.#waiting[0]) {
      this.#waiting.shift();
      this.#ahead -= next.length;
      logprobs.push(next.logprob);
    }
    return { ...delta, logprobs };
  }

  #forget(): void {
    this.#waiting = [];
    this.#ahead = 0;
  }
}
