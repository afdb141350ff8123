/**
 * Text in pieces that may be cut between the halves of a character. Half of one at the end of a piece waits for the other, and
 * is left out where that never comes; anywhere else it is no character and is replaced.
 */
export class WholeCharacters {
  #waiting = '';

  push(text: string): string {
    const all = this.#waiting + text;
    const end = all.length - (/[\uD800-\uDBFF]$/.test(all) ? 1 : 0);
    this.#waiting = all.slice(end);
    return all.slice(0, end).toWellFormed();
  }

  /** Something inside of it is still to be completed. */
  get waits(): boolean {
    return this.#waiting !== '';
  }

  /** The text is over. */
  end(): void {
    this.#waiting = '';
  }
}
