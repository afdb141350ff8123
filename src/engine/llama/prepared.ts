/** Prepared prompts that wait for `generate` or `embed`. They are forgotten after a while, in case nobody comes. */
export class PreparedStore<Item> {
  readonly #items = new Map<string, { item: Item; timer: NodeJS.Timeout }>();
  readonly #keepMs: number;

  constructor(keepMs: number) {
    this.#keepMs = keepMs;
  }

  get size(): number {
    return this.#items.size;
  }

  put(handle: string, item: Item): void {
    this.drop(handle);
    this.#items.set(handle, { item, timer: setTimeout(() => this.#items.delete(handle), this.#keepMs).unref() });
  }

  /** The item, once. */
  take(handle: string): Item | null {
    const found = this.#items.get(handle);
    this.drop(handle);
    return found?.item ?? null;
  }

  drop(handle: string): void {
    clearTimeout(this.#items.get(handle)?.timer);
    this.#items.delete(handle);
  }
}
