import type { Delta } from '../port.ts';
import { StopMatcher } from './stop-matcher.ts';

/**
 * Collects deltas. Content passes the stop strings; whitespace at its end waits where a tool call may follow, because
 * whitespace in front of a call is dropped. Half a surrogate pair waits for its other half, and is left out without it.
 */
export class DeltaWriter {
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
