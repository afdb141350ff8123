import type { Delta, Finished, ToolDefinition } from '../port.ts';
import { StopMatcher } from './stop-matcher.ts';
import type { ToolSyntax } from './template.ts';
import { CallText, callOpen, parseToolCall } from './tool-call.ts';

export type OutputParserOptions = {
  /** If not, think tags are text wherever they stand. */
  reasons: boolean;
  startsInReasoning: boolean;
  tools: readonly ToolDefinition[];
  toolSyntax: ToolSyntax;
  parallelToolCalls: boolean;
  stop: readonly string[];
};

/**
 * - `start`: of a model that reasons, nothing but whitespace so far; `<think>` here opens reasoning, anything else is the answer.
 * - `reasoning`: up to `</think>` or the end.
 * - `gap`: behind `</think>`; newlines are dropped.
 * - `answer`: content; `<tool_call>` opens a call.
 * - `call`: everything up to `</tool_call>` waits, becomes one call, or content where it is none.
 * - `between`: behind a call; whitespace waits, and is dropped in front of the next call and at the end.
 */
export type OutputPhase = 'start' | 'reasoning' | 'gap' | 'answer' | 'call' | 'between';

const thinkTags = ['<think>', '</think>'];

/**
 * Turns generated text into deltas as it arrives. Works on its own state, so the result does
 * not depend on how the text was split; linear in the text. Give it whole characters or halves of surrogate pairs.
 */
export class OutputParser {
  readonly #options: OutputParserOptions;
  readonly #writer: DeltaWriter;
  readonly #answerTags: readonly string[];
  #phase: OutputPhase;
  #candidate = '';
  /** Whitespace whose fate is open: at the start, behind a call, newlines in reasoning. */
  #waiting: string[] = [];
  #call: CallText | null = null;
  #reasoningIsEmpty = true;
  #tokens = 0;
  #reasoningTokens = 0;
  #stopped: 'stop' | 'tool_calls' | null = null;
  #ended: 'eog' | 'length' | null = null;

  constructor(options: OutputParserOptions) {
    this.#options = options;
    this.#writer = new DeltaWriter(options.stop, options.tools.length > 0);
    this.#answerTags = options.tools.length > 0 ? [callOpen] : [];
    this.#phase = !options.reasons ? 'answer' : options.startsInReasoning ? 'reasoning' : 'start';
  }

  /** Not null: the text itself has ended the generation; further text is ignored. */
  get stopped(): 'stop' | 'tool_calls' | null {
    return this.#stopped;
  }

  get stopText(): string | null {
    return this.#writer.stopText;
  }

  get phase(): OutputPhase {
    return this.#phase;
  }

  /** The beginning of a tag that the text so far ends with. */
  get tagBegun(): string {
    return this.#candidate;
  }

  /** Whether a call would begin within this text, the next one to come. */
  beginsCall(text: string): boolean {
    if (this.#phase === 'call' || !this.#answerTags.includes(callOpen)) return false;
    const whole = this.#candidate + text;
    const reasons = this.#phase === 'reasoning' || (this.#phase === 'start' && /^\s*<think>/.test(whole));
    const from = reasons ? whole.indexOf('</think>') : 0;
    return from >= 0 && whole.includes(callOpen, from);
  }

  /** Up to and including the token that completes `</think>`. */
  get reasoningTokens(): number {
    return this.#phase === 'reasoning' ? this.#tokens : this.#reasoningTokens;
  }

  get reason(): Exclude<Finished['reason'], 'cancelled'> {
    if (this.#writer.calls > 0) return 'tool_calls';
    if (this.#stopped !== null) return 'stop';
    // An answer that never came is an incomplete one, whoever ended it.
    return this.#ended === 'length' || this.#phase === 'reasoning' ? 'length' : 'stop';
  }

  /** `text`: the text of these tokens, '' while a character is incomplete. */
  push(text: string, tokenCount: number): Delta[] {
    if (this.#stopped !== null || this.#ended !== null) return [];
    this.#tokens += tokenCount;
    for (let at = 0; at < text.length && this.#stopped === null; ) {
      // Nearly all of an answer is content whatever follows, and need not go unit by unit.
      const tagAt = this.#phase === 'answer' && this.#candidate === '' ? text.indexOf('<', at) : at;
      const end = tagAt < 0 ? text.length : tagAt;
      if (end === at) this.#feed(text.charAt(at));
      else this.#content(text.slice(at, end));
      at = Math.max(end, at + 1);
    }
    return this.#writer.drain();
  }

  /** Reasoning that an engine has told apart itself. */
  pushReasoning(text: string): Delta[] {
    this.#writer.write('reasoning', text);
    return this.#writer.drain();
  }

  /** The end of the output: by an end-of-generation token, or because no further token is allowed. */
  end(cause: 'eog' | 'length'): Delta[] {
    if (this.#ended !== null) return [];
    this.#ended = cause;
    if (this.#stopped === null) this.#finish(cause);
    this.#writer.end();
    return this.#writer.drain();
  }

  #finish(cause: 'eog' | 'length'): void {
    const candidate = this.#candidate;
    this.#candidate = '';
    // Cut off behind whole calls, one is left out: its raw text would stand as what the model said with them.
    if (cause === 'length' && this.#writer.calls > 0 && (this.#phase === 'call' || this.#phase === 'between')) return;
    for (const unit of candidate) this.#plain(unit);
    if (this.#call !== null) this.#endCall(this.#call, cause === 'eog' ? this.#call.text() : null);
    if (this.#phase === 'start') this.#content('');
    if (this.#phase === 'reasoning') this.#writer.write('reasoning', this.#takeWaiting());
  }

  #feed(unit: string): void {
    if (this.#stopped !== null) return;
    if (this.#call?.push(unit)) this.#endCall(this.#call, this.#call.inside());
    else if (this.#call === null && this.#candidate === '' && unit !== '<') this.#plain(unit);
    else if (this.#call === null) this.#feedTag(unit);
  }

  #feedTag(unit: string): void {
    const next = this.#candidate + unit;
    const tags = this.#tags();
    if (tags.includes(next)) {
      this.#candidate = '';
      this.#tag(next);
    } else if (tags.some((tag) => tag.startsWith(next))) {
      this.#candidate = next;
    } else {
      const failed = this.#candidate;
      this.#candidate = '';
      for (const part of failed) this.#plain(part);
      if (failed === '') this.#plain(unit);
      else this.#feed(unit);
    }
  }

  #tags(): readonly string[] {
    if (this.#phase === 'start') return [...thinkTags, ...this.#answerTags];
    if (this.#phase !== 'reasoning') return this.#answerTags;
    // Some models repeat the tag that the prompt has already opened.
    return this.#options.startsInReasoning && this.#reasoningIsEmpty ? thinkTags : ['</think>'];
  }

  #plain(unit: string): void {
    if (this.#stopped !== null) return;
    switch (this.#phase) {
      case 'reasoning':
        if (unit === '\n' || unit === '\r') {
          if (!this.#reasoningIsEmpty) this.#waiting.push(unit);
        } else {
          this.#reasoningIsEmpty = false;
          this.#writer.write('reasoning', this.#takeWaiting() + unit);
        }
        return;
      case 'gap':
        if (unit !== '\n' && unit !== '\r') this.#content(unit);
        return;
      default:
        if (this.#phase !== 'answer' && /\s/.test(unit)) this.#waiting.push(unit);
        else this.#content(unit);
    }
  }

  #content(text: string): void {
    this.#phase = 'answer';
    this.#writer.content(this.#takeWaiting() + text);
    if (this.#writer.stopText !== null) this.#stopped = 'stop';
  }

  #tag(tag: string): void {
    if (tag === callOpen) {
      this.#phase = 'call';
      this.#call = new CallText();
    } else if (this.#phase === 'start' && tag === '<think>') {
      this.#waiting = [];
      this.#phase = 'reasoning';
    } else if (tag === '</think>') {
      this.#waiting = [];
      this.#phase = 'gap';
      this.#reasoningTokens = this.#tokens;
    }
  }

  /** `text`: what the call holds; null where it was cut. */
  #endCall(written: CallText, text: string | null): void {
    const { tools, toolSyntax, parallelToolCalls } = this.#options;
    this.#call = null;
    const call = text === null ? null : parseToolCall(text, tools, toolSyntax);
    if (call === null) this.#content(callOpen + written.text());
    else {
      this.#waiting = [];
      this.#writer.call(call);
      this.#phase = 'between';
      if (!parallelToolCalls) this.#stopped = 'tool_calls';
    }
  }

  #takeWaiting(): string {
    const text = this.#waiting.join('');
    this.#waiting = [];
    return text;
  }
}

/**
 * Collects deltas. Content passes the stop strings; whitespace at its end waits where a tool call may follow, because
 * whitespace in front of a call is dropped. Half a surrogate pair waits for its other half, and is left out without it.
 */
class DeltaWriter {
  readonly #stop: StopMatcher | null;
  readonly #holdsSpace: boolean;
  #space: string[] = [];
  #kind: 'reasoning' | 'content' | null = null;
  #half = '';
  calls = 0;
  #deltas: Delta[] = [];

  constructor(stop: readonly string[], holdsSpace: boolean) {
    this.#stop = stop.length === 0 ? null : new StopMatcher(stop);
    this.#holdsSpace = holdsSpace;
  }

  get stopText(): string | null {
    return this.#stop?.matched ?? null;
  }

  content(text: string): void {
    this.#pass(this.#stop?.push(text) ?? text);
  }

  call(call: { name: string; arguments: string }): void {
    this.#pass(this.#stop?.flush() ?? '');
    this.#space = [];
    this.#kind = null;
    this.#deltas.push({ type: 'tool_call', index: this.calls, ...call });
    this.calls += 1;
  }

  end(): void {
    this.#pass(this.#stop?.flush() ?? '');
    this.write('content', this.#space.join(''));
    this.#space = [];
  }

  drain(): Delta[] {
    const drained = this.#deltas;
    this.#deltas = [];
    return drained;
  }

  #pass(text: string): void {
    const shown = this.#holdsSpace && this.stopText === null ? text.trimEnd().length : text.length;
    if (shown > 0 || this.stopText !== null) {
      this.write('content', this.#space.join('') + text.slice(0, shown));
      this.#space = [];
    }
    if (shown < text.length) this.#space.push(text.slice(shown));
  }

  write(kind: 'reasoning' | 'content', text: string): void {
    if (text === '') return;
    if (this.#kind !== kind) this.#half = '';
    this.#kind = kind;
    const all = this.#half + text;
    const last = all.charCodeAt(all.length - 1);
    const end = last >= 0xd800 && last <= 0xdbff ? all.length - 1 : all.length;
    this.#half = all.slice(end);
    if (end === 0) return;
    const whole = all.slice(0, end).toWellFormed();
    const before = this.#deltas.at(-1);
    if (before?.type === kind) before.text += whole;
    else this.#deltas.push({ type: kind, text: whole });
  }
}
