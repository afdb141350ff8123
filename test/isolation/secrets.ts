const isId = /^[a-z]+_[0-9A-Z]{26}$/;
/** An id at every place where one can begin, so also behind letters of something else. */
const idsAnywhere = /(?=([a-z]+_[0-9A-Z]{26}))/g;

/**
 * Words and ids that nobody but the owner may ever read. There are thousands of ids and ten thousand answers: ids are found by
 * their form, as looking for each of them in each answer took most of the time of the matrix.
 */
export class Secrets {
  readonly #ids = new Set<string>();
  readonly #words = new Set<string>();

  constructor(secrets: readonly string[]) {
    for (const secret of secrets) this.add(secret);
  }

  add(secret: string): this {
    (isId.test(secret) ? this.#ids : this.#words).add(secret);
    return this;
  }

  /** Those that a text says. */
  readIn(text: string): string[] {
    const ids = text.matchAll(idsAnywhere).map(([, id = '']) => id);
    const words = this.#words.values().filter((word) => text.includes(word));
    return [...new Set([...words, ...ids.filter((id) => this.#ids.has(id))])];
  }
}
