/**
 * A map of what is there briefly, such as the calls under way, kept by somebody who lives long.
 *
 * V8 copies the table of a map again and again as entries come and go. A copy that it has left lies in the old generation,
 * where nothing is collected for seconds, and still refers to what was in the map at that time: the calls of then, with their
 * bodies and promises, survive each collection of the young generation and are moved into the old one (ADR 0048). What this
 * map leaves behind refers to keys and empty boxes only.
 */
export class BriefMap<Key, Value> {
  readonly #boxes = new Map<Key, { value: Value | undefined }>();

  get size(): number {
    return this.#boxes.size;
  }

  get(key: Key): Value | undefined {
    return this.#boxes.get(key)?.value;
  }

  /** In the place of what was there; otherwise it comes last. */
  set(key: Key, value: Value): void {
    const box = this.#boxes.get(key);
    if (box) box.value = value;
    else this.#boxes.set(key, { value });
  }

  /** Takes it out. */
  delete(key: Key): Value | undefined {
    const box = this.#boxes.get(key);
    if (box === undefined) return undefined;
    this.#boxes.delete(key);
    const { value } = box;
    box.value = undefined;
    return value;
  }

  /** What is there now, the oldest first. It may change meanwhile. */
  entries(): [Key, Value][] {
    // as: a box in the map has its value.
    return Array.from(this.#boxes, ([key, { value }]) => [key, value as Value]);
  }

  values(): Value[] {
    return this.entries().map(([, value]) => value);
  }
}
