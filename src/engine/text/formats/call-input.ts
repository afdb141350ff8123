const space = /\s/;

type Read<Result> = Generator<null, Result>;

/**
 * The text of calls while it arrives. Readers are generators: `yield* input.next()` waits for more text where there is none yet, so that a reader
 * is written as if the text was there and works with any split. What a reader has taken stays available until `commit`: text that
 * turns out to be no call is content.
 */
export class CallInput {
  #units: string[] = [];
  #shown: string[] = [];
  #at = 0;
  #ended = false;

  /** `shown`: what of the text is content where it is no call; '' of control tokens. */
  push(text: string, shown: string): void {
    this.#units.push(text);
    this.#shown.push(shown);
  }

  /** Nothing more will come. */
  end(): void {
    this.#ended = true;
  }

  /** What was read so far belongs to calls. */
  commit(): void {
    this.#units.splice(0, this.#at);
    this.#shown.splice(0, this.#at);
    this.#at = 0;
  }

  /** Takes out the text since the last `commit`. */
  takeRest(): string[] {
    const rest = this.#shown;
    this.#units = [];
    this.#shown = [];
    this.#at = 0;
    return rest;
  }

  get isEmpty(): boolean {
    return this.#units.length === 0;
  }

  /** The next unit; null at the end. */
  *next(): Read<string | null> {
    while (this.#at === this.#units.length) {
      if (this.#ended) return null;
      yield null;
    }
    return this.#units[this.#at++] ?? null;
  }

  *peek(): Read<string | null> {
    const unit = yield* this.next();
    if (unit !== null) this.#at -= 1;
    return unit;
  }

  mark(): number {
    return this.#at;
  }

  /** Reads again from a mark. */
  reset(mark: number): void {
    this.#at = mark;
  }

  /** Skips white space, and tells the unit behind it. */
  *space(): Read<string | null> {
    let unit = yield* this.peek();
    while (unit !== null && space.test(unit)) {
      yield* this.next();
      unit = yield* this.peek();
    }
    return unit;
  }

  /** Reads a fixed text; white space in it and in front of it stands for any, or none. false: nothing was read. */
  *literal(text: string): Read<boolean> {
    const start = this.mark();
    yield* this.space();
    for (const expected of text.trim()) {
      if (space.test(expected)) {
        yield* this.space();
        continue;
      }
      for (const unit of expected.split('')) {
        if ((yield* this.next()) === unit) continue;
        this.reset(start);
        return false;
      }
    }
    return true;
  }

  /** Reads the first of the texts that stands here. null: nothing was read. */
  *oneOf(texts: readonly string[]): Read<string | null> {
    for (const text of texts) if (yield* this.literal(text)) return text;
    return null;
  }

  /** The text up to the first of the markers, which is read, too; null at the end of the text. */
  *until(markers: readonly string[], most = Infinity): Read<{ text: string; marker: string } | null> {
    const longest = Math.max(...markers.map((marker) => marker.length));
    const pieces: string[] = [];
    let tail = '';
    while (pieces.length < most) {
      const unit = yield* this.next();
      if (unit === null) return null;
      pieces.push(unit);
      tail = (tail + unit).slice(-longest);
      const marker = markers.find((each) => tail.endsWith(each));
      if (marker !== undefined) return { text: pieces.join('').slice(0, -marker.length), marker };
    }
    return null;
  }

  /** The text of a JSON object or array, braces balanced; null where none stands here, or a string in it is broken. */
  *json(): Read<string | null> {
    const first = yield* this.space();
    if (first !== '{' && first !== '[') return null;
    const pieces: string[] = [];
    let depth = 0;
    let inString = false;
    let escaped = false;
    do {
      const unit = yield* this.next();
      // A line break cannot stand in a string: the quote before it closes nothing.
      if (unit === null || (inString && unit === '\n')) return null;
      pieces.push(unit);
      if (escaped) escaped = false;
      else if (unit === '\\') escaped = inString;
      else if (unit === '"') inString = !inString;
      else if (!inString && (unit === '{' || unit === '[')) depth += 1;
      else if (!inString && (unit === '}' || unit === ']')) depth -= 1;
    } while (depth > 0);
    return pieces.join('');
  }
}
