import type { Delta, Finished, ToolDefinition } from '../port.ts';
import { createDeltaWriter, type DeltaWriter } from './delta-writer.ts';
import type { ToolSyntax } from './template.ts';
import { callOpen, parseToolCall } from './tool-call.ts';

export type OutputParserOptions = {
  /** Whether the model reasons: if not, think tags are text wherever they stand. */
  reasons: boolean;
  /** The prompt ends inside an open `<think>`. */
  startsInReasoning: boolean;
  /** The tools of the request; empty where none were sent or `tool_choice` is none: calls are then plain text. */
  tools: readonly ToolDefinition[];
  toolSyntax: ToolSyntax;
  /** false: the first call ends the generation. */
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
type Phase = 'start' | 'reasoning' | 'gap' | 'answer' | 'call' | 'between';

const thinkTags = ['<think>', '</think>'];
const callClose = '</tool_call>';

/**
 * Turns generated text into deltas as it arrives. Works on its own state, so the result does
 * not depend on how the text was split; linear in the text. Give it whole characters or halves of surrogate pairs.
 */
export class OutputParser {
  readonly #options: OutputParserOptions;
  readonly #writer: DeltaWriter;
  readonly #answerTags: readonly string[];
  #phase: Phase;
  /** The beginning of a tag that is not complete. */
  #candidate = '';
  /** Whitespace whose fate is open: at the start, behind a call, newlines in reasoning. */
  #waiting: string[] = [];
  #call = new CallText();
  #reasoningIsEmpty = true;
  #tokens = 0;
  #reasoningTokens = 0;
  #stopped: 'stop' | 'tool_calls' | null = null;
  #ended: 'eog' | 'length' | null = null;

  constructor(options: OutputParserOptions) {
    this.#options = options;
    this.#writer = createDeltaWriter({ stop: options.stop, holdSpace: options.tools.length > 0 });
    this.#answerTags = options.tools.length > 0 ? [callOpen] : [];
    this.#phase = !options.reasons ? 'answer' : options.startsInReasoning ? 'reasoning' : 'start';
  }

  /** Not null: the generation is over although the model would go on; further text is ignored. */
  get stopped(): 'stop' | 'tool_calls' | null {
    return this.#stopped;
  }

  /** The stop string that ended the answer; null: none did. */
  get stopText(): string | null {
    return this.#writer.stopText();
  }

  /** Nothing but whitespace came so far: whether the answer begins with reasoning is open. */
  get undecided(): boolean {
    return this.#phase === 'start';
  }

  get inReasoning(): boolean {
    return this.#phase === 'reasoning';
  }

  /** What of a tag the text so far ends with. */
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

  /** Tokens up to and including the one that completes `</think>`; all of them while reasoning goes on. */
  get reasoningTokens(): number {
    return this.#phase === 'reasoning' ? this.#tokens : this.#reasoningTokens;
  }

  /** Final after `end` or once `stopped`. */
  get reason(): Exclude<Finished['reason'], 'cancelled'> {
    if (this.#writer.calls() > 0) return 'tool_calls';
    if (this.#stopped !== null) return 'stop';
    // An answer that never came is an incomplete one, whoever ended it.
    return this.#ended === 'length' || this.#phase === 'reasoning' ? 'length' : 'stop';
  }

  /** `text`: the text of these tokens, '' while a character is incomplete. */
  push(text: string, tokenCount: number): Delta[] {
    if (this.#stopped !== null || this.#ended !== null) return [];
    this.#tokens += tokenCount;
    for (let at = 0; at < text.length && this.#stopped === null; ) {
      const run = this.#runAt(text, at);
      if (run === '') this.#feed(text.charAt(at));
      else this.#content(run);
      at += run.length || 1;
    }
    return this.#writer.drain();
  }

  /** Text from here on that is content whatever follows: nearly all of an answer, which need not go unit by unit. */
  #runAt(text: string, at: number): string {
    if (this.#phase !== 'answer' || this.#candidate !== '') return '';
    const end = text.indexOf('<', at);
    return text.slice(at, end < 0 ? text.length : end);
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
    if (cause === 'length' && this.#isCallBehindOthers()) return;
    for (const unit of candidate) this.#plain(unit);
    if (this.#phase === 'call') this.#endCall(cause === 'eog' ? this.#call.text() : null);
    if (this.#phase === 'start') this.#content('');
    if (this.#phase === 'reasoning') this.#writer.reasoning(this.#takeWaiting());
  }

  /** Cut off, it is left out: callers go on with the whole calls, and its raw text would stand as what the model said with them. */
  #isCallBehindOthers(): boolean {
    return this.#writer.calls() > 0 && (this.#phase === 'call' || this.#phase === 'between');
  }

  #feed(unit: string): void {
    if (this.#phase === 'call') {
      if (this.#call.push(unit)) this.#endCall(this.#call.text().slice(0, -callClose.length));
      return;
    }
    if (this.#candidate === '' && unit !== '<') {
      this.#plain(unit);
      return;
    }
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
      else if (this.#stopped === null) this.#feed(unit);
    }
  }

  #tags(): readonly string[] {
    if (this.#phase === 'start') return [...thinkTags, ...this.#answerTags];
    if (this.#phase !== 'reasoning') return this.#answerTags;
    // Some models repeat the tag that the prompt has already opened.
    return this.#options.startsInReasoning && this.#reasoningIsEmpty ? thinkTags : ['</think>'];
  }

  /** A unit that belongs to no tag. */
  #plain(unit: string): void {
    if (this.#stopped !== null) return;
    switch (this.#phase) {
      case 'reasoning':
        if (unit === '\n' || unit === '\r') {
          if (!this.#reasoningIsEmpty) this.#waiting.push(unit);
        } else {
          this.#reasoningIsEmpty = false;
          this.#writer.reasoning(this.#takeWaiting() + unit);
        }
        return;
      case 'gap':
        if (unit !== '\n' && unit !== '\r') this.#content(unit);
        return;
      case 'start':
      case 'between':
        if (/\s/.test(unit)) this.#waiting.push(unit);
        else this.#content(unit);
        return;
      default:
        this.#content(unit);
    }
  }

  #content(text: string): void {
    this.#phase = 'answer';
    this.#writer.content(this.#takeWaiting() + text);
    if (this.#writer.stopText() !== null) this.#stopped = 'stop';
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
  #endCall(text: string | null): void {
    const { tools, toolSyntax, parallelToolCalls } = this.#options;
    const call = text === null ? null : parseToolCall(text, tools, toolSyntax);
    if (call === null) {
      this.#content(callOpen + this.#call.text());
      return;
    }
    this.#waiting = [];
    this.#writer.call(call);
    this.#phase = 'between';
    if (!parallelToolCalls) this.#stopped = 'tool_calls';
  }

  #takeWaiting(): string {
    const text = this.#waiting.join('');
    this.#waiting = [];
    return text;
  }
}

/** Text behind `<tool_call>`. A closing tag inside a JSON string does not count; as XML, one on a line that begins with no tag. */
class CallText {
  readonly #pieces: string[] = [];
  #matched = 0;
  #syntax: 'open' | 'json' | 'xml' | 'other' = 'open';
  #line: 'blank' | 'tags' | 'value' = 'blank';
  #inString = false;
  #escaped = false;

  text(): string {
    return this.#pieces.join('');
  }

  /** true: the closing tag is complete. */
  push(unit: string): boolean {
    this.#pieces.push(unit);
    if (this.#syntax === 'open' && !/\s/.test(unit))
      this.#syntax = unit === '{' ? 'json' : unit === '<' ? 'xml' : 'other';
    if (this.#syntax === 'xml') this.#followLines(unit);
    if (this.#syntax === 'json' || (this.#syntax === 'xml' && this.#line !== 'tags')) this.#followStrings(unit);
    if (this.#inString) this.#matched = 0;
    else if (unit === callClose[this.#matched]) this.#matched += 1;
    else this.#matched = unit === '<' ? 1 : 0;
    return this.#matched === callClose.length;
  }

  #followLines(unit: string): void {
    if (unit === '\n') this.#line = 'blank';
    else if (this.#line === 'blank' && !/\s/.test(unit)) this.#line = unit === '<' ? 'tags' : 'value';
  }

  /** A line break cannot stand in a JSON string: after one, an unbalanced quote no longer hides the closing tag. */
  #followStrings(unit: string): void {
    if (unit === '\n') this.#inString = this.#escaped = false;
    else if (this.#escaped) this.#escaped = false;
    else if (unit === '"') this.#inString = !this.#inString;
    else if (unit === '\\' && this.#inString) this.#escaped = true;
  }
}
