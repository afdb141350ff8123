import type { ToolDefinition } from '../port.ts';
import type { OutputFormat } from './formats/output-format.ts';

/**
 * - `start`: nothing but white space so far; the marker of reasoning opens it here, anything else is the answer.
 * - `reasoning`: up to its closing marker or the end.
 * - `gap`: behind reasoning, or behind what stands in front of an answer; newlines are dropped.
 * - `answer`: content; an opening of the call format begins a call.
 * - `call`: text waits, and becomes calls, or content where it is none.
 * - `between`: behind a call; white space waits, and is dropped in front of the next call and at the end.
 */
export type OutputPhase = 'start' | 'reasoning' | 'gap' | 'answer' | 'call' | 'between';

export type MarkerOptions = { format: OutputFormat; startsInReasoning: boolean; tools: readonly ToolDefinition[] };

/** The fixed texts that mean something, by phase. */
export class OutputMarkers {
  readonly openings: readonly string[];
  /** The first bytes of the openings. */
  readonly openingBytes: ReadonlySet<number>;
  readonly mayBeginBare: boolean;
  readonly startsPlain: boolean;
  readonly #closings: readonly string[];
  readonly #format: OutputFormat;
  readonly #startsInReasoning: boolean;
  readonly #starts: RegExp | null;
  readonly #known = new Map<string, readonly string[]>();

  constructor({ format, tools, startsInReasoning }: MarkerOptions) {
    const { calls, reasoning, answerOpening, headers } = format;
    this.#format = format;
    this.#startsInReasoning = startsInReasoning;
    this.openings = tools.length > 0 ? calls.openings : [];
    this.openingBytes = new Set(this.openings.map((opening) => Buffer.from(opening)[0] ?? 0));
    this.#closings = tools.length > 0 ? calls.closings : [];
    this.mayBeginBare = tools.length > 0 && calls.startsAnswer;
    this.startsPlain = reasoning === null && answerOpening === '' && headers.length === 0 && !this.mayBeginBare;
    const starts = [...new Set(this.in('answer', false).map((marker) => marker.charAt(0)))];
    this.#starts = starts.length === 0 ? null : new RegExp(`[${starts.map(escapeForClass).join('')}]`, 'g');
  }

  in(phase: OutputPhase, reasoningIsEmpty: boolean): readonly string[] {
    const key = `${phase} ${reasoningIsEmpty}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const markers = this.#of(phase, reasoningIsEmpty).filter((marker) => marker !== '');
    this.#known.set(key, markers);
    return markers;
  }

  #of(phase: OutputPhase, reasoningIsEmpty: boolean): readonly string[] {
    const { reasoning, answerOpening, headers } = this.#format;
    const { open = '', close = '', repeats = false } = reasoning ?? {};
    const again = repeats ? [open, close] : [];
    switch (phase) {
      case 'start':
        return [open, close, answerOpening, ...headers, ...this.openings];
      case 'reasoning':
        // Some models repeat the marker that the prompt has already opened.
        return this.#startsInReasoning && reasoningIsEmpty ? [open, close] : [close];
      case 'gap':
        return [...again, answerOpening, ...headers, ...this.openings];
      case 'between':
        return [...again, answerOpening, ...headers, ...this.openings, ...this.#closings];
      default:
        return [...again, ...headers, ...this.openings];
    }
  }

  phaseBehind(marker: string, phase: OutputPhase): OutputPhase {
    if (phase === 'between' && this.#closings.includes(marker)) return 'between';
    return marker === this.#format.reasoning?.open ? 'reasoning' : 'gap';
  }

  /** Where a marker could begin. */
  nextStart(text: string, from: number): number {
    if (this.#starts === null) return text.length;
    this.#starts.lastIndex = from;
    return this.#starts.exec(text)?.index ?? text.length;
  }
}

const escapeForClass = (unit: string): string => unit.replace(/[\]\\^-]/, '\\$&');
const recentMarkers = new WeakMap<OutputFormat, Map<string, OutputMarkers>>();

/** Shared by all answers of a model that have the same markers. */
export function outputMarkers(options: MarkerOptions): OutputMarkers {
  const ofFormat = recentMarkers.get(options.format) ?? new Map<string, OutputMarkers>();
  recentMarkers.set(options.format, ofFormat);
  const key = `${options.tools.length > 0} ${options.startsInReasoning}`;
  const markers = ofFormat.get(key) ?? new OutputMarkers(options);
  ofFormat.set(key, markers);
  return markers;
}
