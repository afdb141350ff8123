import type { Delta, Finished } from '../port.ts';
import { DeltaWriter } from './delta-writer.ts';
import type { CallReading, ParsedCall } from './formats/call-format.ts';
import { CallInput } from './formats/call-input.ts';
import { type MarkerOptions, type OutputMarkers, type OutputPhase, outputMarkers } from './output-markers.ts';

export type OutputParserOptions = MarkerOptions & {
  parallelToolCalls: boolean;
  stop: readonly string[];
};

type Call = { input: CallInput; reading: CallReading; opening: string; shown: string; found: boolean };

/** A unit of text, and what of it is content: '' of control tokens, which are markers or nothing. */
type Unit = { text: string; shown: string };

/**
 * Turns generated text into deltas as it arrives. Works on its own state, so the result does
 * not depend on how the text was split; linear in the text. Give it whole characters or halves of surrogate pairs.
 */
export class OutputParser {
  readonly #options: OutputParserOptions;
  readonly #writer: DeltaWriter;
  readonly #markers: OutputMarkers;
  #phase: OutputPhase;
  #candidate: Unit[] = [];
  /** White space whose fate is open: at the start, behind a call, newlines in reasoning. */
  #waiting: string[] = [];
  #call: Call | null = null;
  #reasoningIsEmpty = true;
  #tokens = 0;
  #reasoningTokens = 0;
  #stopped: 'stop' | 'tool_calls' | null = null;
  #ended: 'eog' | 'length' | null = null;

  constructor(options: OutputParserOptions) {
    this.#options = options;
    this.#writer = new DeltaWriter(options.stop, options.tools.length > 0);
    this.#markers = outputMarkers(options);
    this.#phase = options.startsInReasoning ? 'reasoning' : this.#markers.startsPlain ? 'answer' : 'start';
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

  /** The beginning of a marker that the text so far ends with. */
  get tagBegun(): string {
    return textOf(this.#candidate);
  }

  /** Whether an opening of calls may begin in these bytes. */
  mayOpenCall(bytes: Uint8Array): boolean {
    return bytes.some((byte) => this.#markers.openingBytes.has(byte));
  }

  /** The opening of calls that would be complete within this text, the next one to come. */
  beginsCall(text: string): string | null {
    let { phase, tagBegun: candidate } = { phase: this.#phase, tagBegun: this.tagBegun };
    if (phase === 'call') return null;
    for (const unit of text) {
      candidate += unit;
      for (;;) {
        const markers = this.#markers.in(phase, this.#reasoningIsEmpty);
        if (phase !== 'reasoning' && this.#markers.openings.includes(candidate)) return candidate;
        if (candidate === '' || markers.some((marker) => marker !== candidate && marker.startsWith(candidate))) break;
        const begun = markers.find((marker) => candidate.startsWith(marker));
        if (begun !== undefined) phase = this.#markers.phaseBehind(begun, phase);
        else if (phase === 'start' && candidate.charAt(0).trim() !== '') phase = 'answer';
        candidate = candidate.slice(begun?.length ?? 1);
      }
    }
    return null;
  }

  /** Up to and including the token that completes the closing marker. */
  get reasoningTokens(): number {
    return this.#phase === 'reasoning' ? this.#tokens : this.#reasoningTokens;
  }

  get reason(): Exclude<Finished['reason'], 'cancelled'> {
    if (this.#writer.calls > 0) return 'tool_calls';
    if (this.#stopped !== null) return 'stop';
    // An answer that never came is an incomplete one, whoever ended it.
    return this.#ended === 'length' || this.#phase === 'reasoning' ? 'length' : 'stop';
  }

  /** `text`: the text of these tokens, '' while a character is incomplete. `isControl`: it is a control token. */
  push(text: string, tokenCount: number, isControl = false): Delta[] {
    if (this.#stopped !== null || this.#ended !== null) return [];
    this.#tokens += tokenCount;
    for (let at = 0; at < text.length && this.#stopped === null; ) {
      // Nearly all of an answer is content whatever follows, and need not go unit by unit.
      const isPlain = this.#phase === 'answer' && this.#candidate.length === 0 && !isControl;
      const end = isPlain ? this.#markers.nextStart(text, at) : at;
      if (end === at) this.#feed({ text: text.charAt(at), shown: isControl ? '' : text.charAt(at) });
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
    const call = this.#call;
    if (call !== null && cause === 'eog') {
      call.input.end();
      this.#advance(call);
      if (this.#call !== null) this.#leave(call);
    }
    const candidate = this.#takeCandidate();
    // Cut off behind whole calls, one is left out: its raw text would stand as what the model said with them.
    if (cause === 'length' && this.#writer.calls > 0 && (this.#phase === 'call' || this.#phase === 'between')) return;
    if (this.#call !== null) this.#leave(this.#call);
    this.#endCandidate(candidate);
    if (this.#phase === 'start') this.#content('');
    if (this.#phase === 'reasoning') this.#writer.write('reasoning', this.#takeWaiting());
  }

  #feed(unit: Unit): void {
    if (this.#stopped !== null) return;
    const call = this.#call;
    if (call !== null) {
      call.input.push(unit.text, unit.shown);
      this.#advance(call);
      return;
    }
    const next = [...this.#candidate, unit];
    const text = textOf(next);
    const markers = this.#markers.in(this.#phase, this.#reasoningIsEmpty);
    if (markers.some((marker) => marker !== text && marker.startsWith(text))) {
      // Also where it is a marker itself: the longest one counts.
      this.#candidate = next;
    } else if (markers.includes(text)) {
      this.#candidate = [];
      this.#marker(text, next);
    } else this.#refuse(next, markers);
  }

  /** Units that are no marker together: one that they begin with, or a call without an opening, or the first of them is text. */
  #refuse(units: readonly Unit[], markers: readonly string[]): void {
    this.#candidate = [];
    const text = textOf(units);
    const begun = markers.filter((marker) => text.startsWith(marker)).toSorted((a, b) => b.length - a.length)[0];
    let used = begun?.length ?? 0;
    if (begun !== undefined) this.#marker(begun, units.slice(0, used));
    else if (this.#beginsBare(text)) this.#begin('', '');
    else {
      used = 1;
      this.#plain(units[0]?.shown ?? '');
    }
    for (const each of units.slice(used)) this.#feed(each);
  }

  /** A format without openings: only the beginning of an answer can be a call. */
  #beginsBare(text: string): boolean {
    const isBeginning = this.#phase === 'start' || this.#phase === 'gap';
    return this.#markers.mayBeginBare && isBeginning && /^\S/.test(text);
  }

  #plain(unit: string): void {
    if (this.#stopped !== null || unit === '') return;
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
        if (unit === '\n' || unit === '\r') return;
        // A call may still begin behind blanks, where nothing marks it.
        if (this.#markers.mayBeginBare && unit.trim() === '') this.#waiting.push(unit);
        else this.#content(unit);
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

  #marker(marker: string, units: readonly Unit[]): void {
    const before = this.#phase;
    if (before !== 'reasoning' && this.#markers.openings.includes(marker)) {
      this.#begin(marker, units.map(({ shown }) => shown).join(''));
      return;
    }
    this.#phase = this.#markers.phaseBehind(marker, before);
    if (this.#phase !== before || this.#phase === 'gap') this.#waiting = [];
    if (before === 'reasoning' || this.#phase === 'gap') this.#reasoningTokens = this.#tokens;
    if (this.#phase === 'reasoning' && before !== 'reasoning') this.#reasoningIsEmpty = true;
  }

  #begin(opening: string, shown: string): void {
    const input = new CallInput();
    const { tools, format } = this.#options;
    const reading = format.calls.read(input, { opening, tools });
    this.#call = { input, reading, opening, shown, found: false };
    this.#phase = 'call';
  }

  /** Lets the reader go on with what has arrived. */
  #advance(call: Call): void {
    for (;;) {
      const { done, value } = call.reading.next();
      if (done === true) this.#leave(call);
      if (done === true || value === null) return;
      this.#emit(call, value);
      if (this.#stopped !== null) return;
    }
  }

  #emit(call: Call, parsed: ParsedCall): void {
    this.#waiting = [];
    call.found = true;
    this.#writer.call(parsed);
    if (this.#options.parallelToolCalls) return;
    this.#stopped = 'tool_calls';
    this.#call = null;
  }

  /** Behind calls, or behind text that is none: what was read of it is content. */
  #leave({ input, shown, found }: Call): void {
    this.#call = null;
    const rest = input.takeRest();
    const last = rest.pop();
    this.#phase = found ? 'between' : 'answer';
    if (!found) this.#content(shown);
    for (const unit of rest) this.#plain(unit);
    if (last !== undefined) this.#feed({ text: last, shown: last });
  }

  /** What may have been the beginning of a longer marker. */
  #endCandidate(units: readonly Unit[]): void {
    if (units.length === 0) return;
    const markers = this.#markers.in(this.#phase, this.#reasoningIsEmpty);
    this.#refuse(
      units,
      markers.includes(textOf(units)) ? markers : markers.filter((marker) => textOf(units).startsWith(marker)),
    );
    this.#endCandidate(this.#takeCandidate());
  }

  #takeCandidate(): Unit[] {
    const candidate = this.#candidate;
    this.#candidate = [];
    return candidate;
  }

  #takeWaiting(): string {
    const text = this.#waiting.join('');
    this.#waiting = [];
    return text;
  }
}

const textOf = (units: readonly Unit[]): string => units.map(({ text }) => text).join('');
