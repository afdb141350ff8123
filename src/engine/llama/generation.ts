import type { Delta, Finished, Sampling, TokenLogprob } from '../port.ts';
import { ContentLogprobs } from '../text/content-logprobs.ts';
import type { OutputParser } from '../text/output-parser.ts';
import type { NativeGrammar, Token } from './binding.ts';
import { isPenalised, type RequestSampler } from './sampler.ts';
import { createTokenText, type TokenText, type Vocabulary } from './vocabulary.ts';

export type Constraint = {
  /** For an answer that begins at the first token. */
  atStart: NativeGrammar;
  /** For an answer behind `</think>`. */
  afterReasoning: NativeGrammar;
};

export type PromptFacts = {
  tokens: Uint32Array;
  reasons: boolean;
  startsInReasoning: boolean;
  thinkingDisabled: boolean;
  constraint: Constraint | null;
  /** What a free answer must match from its first call on. */
  calls: NativeGrammar | null;
};

export type GenerationOptions = {
  id: number;
  prompt: PromptFacts;
  sampling: Sampling;
  /** Reasoning beyond this many tokens is closed by force. */
  reasoningBudget: number;
  contextTokens: number;
  sampler: RequestSampler;
  parser: OutputParser;
  textMayEnd: boolean;
  vocabulary: Vocabulary;
  tags: ReasoningTags;
};

export type ReasoningTags = {
  /** The first token of what opens reasoning. */
  open: Token | null;
  /** Closes reasoning by force. Empty: the model has no tokens for it. */
  forcedClose: Uint32Array;
  /** The prompt can turn reasoning off. */
  hasSwitch: boolean;
};

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

/** `resample`: draw again from the same output; the sampler is now constrained. */
export type TakeResult = 'go on' | 'over' | 'resample';

/**
 * One request from its first sampled token to its end. `take` is on the way to the next step and does the least
 * that the step depends on; `deliver` turns the tokens into deltas while the step runs.
 */
export class Generation {
  readonly id: number;
  readonly sampler: RequestSampler;
  activeMs = 0;
  cachedTokens = 0;
  readonly next: Token[] = [];
  readonly #options: GenerationOptions;
  readonly #text: TokenText;
  #undelivered: { token: Token; logprob: TokenLogprob | null }[] = [];
  readonly #logprobs: ContentLogprobs | null;
  #generated: Token[] | null;
  #completionTokens = 0;
  #deliveredTokens = 0;
  #deltas: Delta[] = [];
  #isNew = true;
  #ending: 'eog' | 'length' | null = null;
  /** The text must be known before the next token is drawn: a constraint or a budget depends on where reasoning ends. */
  #watching: boolean;
  #constraint: Constraint | null;
  #calls: NativeGrammar | null;
  /** The text may end with the beginning of a tag. */
  #inTag = false;

  constructor(options: GenerationOptions) {
    const { prompt, sampling } = options;
    this.id = options.id;
    this.sampler = options.sampler;
    this.#options = options;
    this.#text = createTokenText(options.vocabulary);
    this.#generated = isPenalised(sampling) ? [] : null;
    this.#logprobs = sampling.logprobs === undefined ? null : new ContentLogprobs();
    this.#constraint = prompt.constraint;
    this.#calls = prompt.calls;
    this.#watching = prompt.constraint !== null || options.reasoningBudget < Infinity;
    if (prompt.thinkingDisabled || !prompt.reasons) this.#answerBegins('atStart');
  }

  get prompt(): Uint32Array {
    return this.#options.prompt.tokens;
  }

  /** Log probabilities to read with each token; null: none. */
  get topLogprobs(): number | null {
    return this.#options.sampling.logprobs ?? null;
  }

  take(token: Token, logprob: TokenLogprob | null = null): TakeResult {
    this.next.length = 0;
    const { vocabulary } = this.#options;
    if (this.#constraint !== null && this.#beginsAnswer(token)) {
      this.#answerBegins('atStart');
      return 'resample';
    }
    if (this.#calls !== null && this.#beginsCall(token) && !this.#holdCalls(this.#calls, token)) return 'resample';
    this.#completionTokens += 1;
    const ends = vocabulary.isEnd(token);
    if (ends && !this.#owesAnswer() && !this.#mayNotReason()) {
      this.#ending = 'eog';
      return 'over';
    }
    // The place of an end that comes too early, and of a first token of reasoning that is not to be, is taken by what closes it.
    if (ends || this.#mayNotReason()) this.#closeReasoning(this.#completionTokens - 1);
    else this.#accept(token, logprob);
    if (this.#watching) this.#watch();
    if (this.#completionTokens >= this.#mostTokens) {
      this.#ending = 'length';
      return 'over';
    }
    return 'go on';
  }

  /** The text can end the generation, by a stop string or a tool call: it is to be parsed after every step. */
  get textMayEnd(): boolean {
    return this.#options.textMayEnd;
  }

  get isNew(): boolean {
    return this.#isNew;
  }

  /** Turns the tokens taken so far into deltas. Afterwards `over` tells whether the text itself ended the generation. */
  parse(): void {
    const { parser } = this.#options;
    for (const { token, logprob } of this.#undelivered) {
      if (parser.stopped !== null) break;
      this.#deliveredTokens += 1;
      const text = this.#text.push(token);
      const deltas = parser.push(text, 1, this.#options.vocabulary.isControl(token));
      const tokens = logprob === null ? [] : [{ logprob, length: text.length }];
      this.#collect(this.#logprobs?.push(tokens, deltas, parser.phase) ?? deltas);
    }
    this.#undelivered.length = 0;
  }

  deliver(): Delta[] {
    this.#isNew = false;
    this.parse();
    if (this.#ending !== null) {
      // A character that is not complete is left out: its bytes are no text.
      const { parser } = this.#options;
      const deltas = parser.end(this.#ending);
      this.#collect(this.#logprobs?.push([], deltas, parser.phase) ?? deltas);
    }
    const deltas = this.#deltas;
    this.#deltas = [];
    return deltas;
  }

  get ending(): boolean {
    return this.#ending !== null;
  }

  /** Nothing more will come; after `deliver`, because the text may end it too. */
  get over(): boolean {
    return this.#ending !== null || this.#options.parser.stopped !== null;
  }

  finished(cancelled: boolean): Finished {
    const { parser } = this.#options;
    // An end token is a token of the completion; one behind a stop string is not.
    const completionTokens = parser.stopped !== null ? this.#deliveredTokens : this.#completionTokens;
    return {
      reason: cancelled ? 'cancelled' : parser.reason,
      usage: {
        promptTokens: this.prompt.length,
        completionTokens,
        reasoningTokens: Math.min(parser.reasoningTokens, completionTokens),
        cachedTokens: this.cachedTokens,
      },
      activeMs: this.activeMs,
      stopText: cancelled ? null : parser.stopText,
    };
  }

  dispose(): void {
    this.sampler.dispose();
  }

  #accept(token: Token, logprob: TokenLogprob | null): void {
    this.next.push(token);
    this.#undelivered.push({ token, logprob });
    this.#generated?.push(token);
    this.sampler.wrote(token);
  }

  #collect(deltas: Delta[]): void {
    for (const delta of deltas) {
      const last = this.#deltas.at(-1);
      if (last === undefined || delta.type === 'tool_call' || last.type !== delta.type) this.#deltas.push(delta);
      else {
        last.text += delta.text;
        if (last.type === 'content' && delta.type === 'content' && delta.logprobs)
          last.logprobs?.push(...delta.logprobs);
      }
    }
  }

  /** The first token of a constrained output that could have opened reasoning and did not. */
  #beginsAnswer(token: Token): boolean {
    const { prompt, tags } = this.#options;
    return this.#completionTokens === 0 && !prompt.startsInReasoning && token !== tags.open;
  }

  /** A constrained answer has not begun: an end within reasoning would leave the caller without what was promised. */
  #owesAnswer(): boolean {
    return (
      this.#constraint !== null &&
      this.#options.parser.phase === 'reasoning' &&
      this.#options.tags.forcedClose.length > 0
    );
  }

  /** Reasoning has reached its bound: before its first token, where the prompt has opened it and the bound has no room for any. */
  #mayNotReason(): boolean {
    const { parser, reasoningBudget, tags } = this.#options;
    const isFull = this.#watching && parser.phase === 'reasoning' && parser.reasoningTokens >= reasoningBudget;
    return isFull && tags.forcedClose.length > 0;
  }

  get #mostTokens(): number {
    const { sampling, contextTokens } = this.#options;
    return Math.min(sampling.maxTokens, contextTokens - this.prompt.length);
  }

  /** The token completes an opening of calls; it may have text in front of that and behind it. */
  #beginsCall(token: Token): boolean {
    const { vocabulary, parser } = this.#options;
    const bytes = vocabulary.bytesOf(token);
    const mayOpen = parser.mayOpenCall(bytes);
    if (!mayOpen && !this.#inTag) return false;
    this.parse();
    this.#inTag = mayOpen || parser.tagBegun !== '';
    // Whatever becomes of an incomplete character, it stands between a tag that was begun and this token.
    return parser.beginsCall((this.#text.waits() ? '\ufffd' : '') + utf8.decode(bytes)) !== null;
  }

  /** From here on the answer is held to the grammar of its calls. false: the token does not fit into it. */
  #holdCalls(calls: NativeGrammar, token: Token): boolean {
    const { vocabulary, parser } = this.#options;
    this.#calls = null;
    // Which tokens its text came in makes no difference to the grammar.
    const begun = [...vocabulary.tokenize(parser.tagBegun, false)];
    return this.sampler.constrainWithin(calls, { begun, token, generated: this.#generated ?? [] });
  }

  #answerBegins(place: keyof Constraint): void {
    if (this.#constraint !== null) this.sampler.constrain(this.#constraint[place], this.#generated ?? []);
    this.#constraint = null;
    this.#watching = false;
  }

  #watch(): void {
    const { parser } = this.#options;
    this.parse();
    if (this.#mayNotReason()) this.#closeReasoning(this.#completionTokens);
    else if (parser.phase !== 'reasoning' && parser.phase !== 'start') this.#answerBegins('afterReasoning');
  }

  /** By force, behind so many tokens. A grammar holds from there on, as behind a model's own end of its reasoning. */
  #closeReasoning(completionTokens: number): void {
    const { tags } = this.#options;
    this.#completionTokens = completionTokens;
    for (const token of tags.forcedClose) {
      if (this.#completionTokens >= this.#mostTokens) break;
      this.#completionTokens += 1;
      this.#accept(token, null);
    }
    this.parse();
    this.#answerBegins('afterReasoning');
  }
}
