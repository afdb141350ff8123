/** The values that were used last: so many of them, and so many characters together, at most. */
export class RecentCache<Value> {
  readonly #most: { count: number; characters: number };
  /** The least recently used first. */
  readonly #entries = new Map<string, { value: Value; characters: number }>();
  #characters = 0;

  constructor(most: { count: number; characters: number }) {
    this.#most = most;
  }

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.value;
  }

  set(key: string, value: Value, characters: number): void {
    if (this.#entries.has(key)) return;
    this.#entries.set(key, { value, characters });
    this.#characters += characters;
    for (const [oldest, entry] of this.#entries) {
      if (this.#entries.size <= this.#most.count && this.#characters <= this.#most.characters) break;
      this.#entries.delete(oldest);
      this.#characters -= entry.characters;
    }
  }
}
