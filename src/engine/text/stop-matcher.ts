/**
 * Finds the first stop string to end in a text that arrives in pieces. One Knuth-Morris-Pratt automaton per string: linear time, and
 * nothing depends on how the text is split.
 */
export class StopMatcher {
  readonly #patterns: { text: string; fallback: number[]; state: number }[];
  #held = '';
  #matched: string | null = null;

  constructor(stops: readonly string[]) {
    this.#patterns = stops.filter((stop) => stop !== '').map((text) => ({ text, fallback: borders(text), state: 0 }));
  }

  /** The stop string that came; null: none yet. Of several that end at once, the longest. */
  get matched(): string | null {
    return this.#matched;
  }

  /** Text that is certainly no part of a stop string. After a match everything is ''. */
  push(text: string): string {
    if (this.#matched !== null) return '';
    for (let at = 0; at < text.length; at += 1) {
      const complete = this.#step(text.charAt(at));
      if (complete === '') continue;
      this.#matched = complete;
      return (this.#held + text.slice(0, at + 1)).slice(0, -complete.length);
    }
    const all = this.#held + text;
    const end = all.length - Math.max(0, ...this.#patterns.map(({ state }) => state));
    this.#held = all.slice(end);
    return all.slice(0, end);
  }

  /** The beginning of a stop string that did not come. */
  flush(): string {
    for (const pattern of this.#patterns) pattern.state = 0;
    const held = this.#matched === null ? this.#held : '';
    this.#held = '';
    return held;
  }

  /** Advances all patterns by one unit; the longest one that is now complete, else ''. */
  #step(unit: string): string {
    let complete = '';
    for (const pattern of this.#patterns) {
      const { text, fallback } = pattern;
      while (pattern.state > 0 && text[pattern.state] !== unit) pattern.state = fallback[pattern.state - 1] ?? 0;
      if (text[pattern.state] === unit) pattern.state += 1;
      if (pattern.state === text.length && text.length > complete.length) complete = text;
    }
    return complete;
  }
}

/** For each prefix of the text, the length of its longest proper border. */
function borders(text: string): number[] {
  const lengths = [0];
  let border = 0;
  for (let at = 1; at < text.length; at += 1) {
    while (border > 0 && text[at] !== text[border]) border = lengths[border - 1] ?? 0;
    if (text[at] === text[border]) border += 1;
    lengths.push(border);
  }
  return lengths;
}
