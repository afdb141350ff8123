import type { TokenCount } from '#engine';
import { type TokenStats, tokenStatsOf } from '../../versions/versions.store.ts';
import type { ImportProfile } from '../import-record.ts';

/** Stands for a row without a count. */
const none = 0xffff_ffff;
/** In the longest count of a row: the model cannot learn all of it. No text has that many tokens. */
const unlearnable = 0x8000_0000;
const perRow = 2;
const maxBins = 24;

/** The token counts of all rows in their order; rows that make no example have none. */
export class TokenCounts {
  #counts = new Uint32Array(1 << 12);
  #rows = 0;
  /** Of the rows that have one; null: not sorted since the last was added. */
  #sorted: Uint32Array | null = null;

  push(count: TokenCount | null): void {
    const at = this.#rows++ * perRow;
    if (at + perRow > this.#counts.length) {
      const larger = new Uint32Array(this.#counts.length * 2);
      larger.set(this.#counts);
      this.#counts = larger;
    }
    this.#counts[at] = count?.tokens ?? none;
    this.#counts[at + 1] = count ? marked(count) : none;
    this.#sorted = null;
  }

  at(row: number): TokenCount | null {
    const tokens = this.#counts[row * perRow] ?? none;
    const longest = this.#counts[row * perRow + 1] ?? none;
    return row >= this.#rows ? null : toCount(tokens, longest);
  }

  summary(): TokenStats {
    return tokenStatsOf(this.#inOrder());
  }

  /** Ranges of equal width up to what 99 of 100 rows have; one more for those that are longer. */
  histogram(): ImportProfile['token_histogram'] {
    const known = this.#inOrder();
    const [least, most] = [known[0], known.at(-1)];
    if (least === undefined || most === undefined) return [];
    const usual = known[Math.floor((known.length - 1) * 0.99)] ?? most;
    const width = Math.ceil((usual - least + 1) / maxBins);
    const bins = Array.from({ length: Math.ceil((usual - least + 1) / width) }, (_, index) => ({
      from: least + index * width,
      to: least + (index + 1) * width - 1,
      rows: 0,
    }));
    const rest = { from: least + bins.length * width, to: most, rows: 0 };
    for (const tokens of known) (bins[Math.floor((tokens - least) / width)] ?? rest).rows++;
    return rest.rows > 0 ? [...bins, rest] : bins;
  }

  #inOrder(): Uint32Array {
    if (this.#sorted) return this.#sorted;
    const known = new Uint32Array(this.#rows);
    let size = 0;
    for (let at = 0; at < this.#rows * perRow; at += perRow) {
      const tokens = this.#counts[at] ?? none;
      if (tokens !== none) known[size++] = tokens;
    }
    this.#sorted = known.subarray(0, size).sort();
    return this.#sorted;
  }

  toBytes(): Buffer {
    return Buffer.from(this.#counts.buffer, 0, this.#rows * perRow * Uint32Array.BYTES_PER_ELEMENT);
  }

  static fromBytes(bytes: Buffer): TokenCounts {
    const counts = new TokenCounts();
    for (let at = 0; at + 8 <= bytes.length; at += 8) {
      const [tokens, longest] = [bytes.readUInt32LE(at), bytes.readUInt32LE(at + 4)];
      counts.push(toCount(tokens, longest));
    }
    return counts;
  }
}

const marked = ({ longest, problem }: TokenCount) => (problem === undefined ? longest : (longest | unlearnable) >>> 0);

/** The reason is reported with the row and not stored. */
function toCount(tokens: number, longest: number): TokenCount | null {
  if (tokens === none) return null;
  return longest < unlearnable ? { tokens, longest } : { tokens, longest: longest - unlearnable, problem: '' };
}
