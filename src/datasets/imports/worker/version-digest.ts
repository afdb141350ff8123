import { createHash } from 'node:crypto';
import type { CopiedExample } from '../../examples/example-copy.ts';
import type { Split } from '../../examples/new-examples.ts';
import { lineEnd } from '../../versions/version-content.ts';
import { type Summary, statsOf } from '../../versions/versions.ts';

const ends: Record<Split, Buffer> = { train: Buffer.from(lineEnd('train')), test: Buffer.from(lineEnd('test')) };
/** Hashed at once: a call for each line takes longer than hashing it. */
const mostBytes = 1 << 20;

/** What a version comes to, of its examples in canonical order. */
export class VersionDigest {
  readonly #hash = createHash('sha256');
  readonly #lines = Buffer.allocUnsafeSlow(mostBytes);
  #used = 0;
  readonly #tokens: number[] = [];
  readonly #counts: Record<Split, number> = { train: 0, test: 0 };
  #bytes = 0;

  /** The canonical JSON stands somewhere in the bytes. */
  add(from: Buffer, { start, end }: { start: number; end: number }, { split, valid, tokens }: CopiedExample): void {
    if (!valid) return;
    const lineBytes = end - start - 1 + ends[split].length;
    if (this.#used + lineBytes > mostBytes) this.#flush();
    if (lineBytes > mostBytes) this.#hash.update(from.subarray(start, end - 1)).update(ends[split]);
    else {
      this.#used += from.copy(this.#lines, this.#used, start, end - 1);
      this.#used += ends[split].copy(this.#lines, this.#used);
    }
    this.#bytes += lineBytes;
    this.#counts[split]++;
    if (tokens !== null) this.#tokens.push(tokens);
  }

  summary(): Summary {
    this.#flush();
    const { train: trainCount, test: testCount } = this.#counts;
    const tokenStats = statsOf(this.#tokens);
    return { sha256: this.#hash.digest('hex'), bytes: BigInt(this.#bytes), trainCount, testCount, tokenStats };
  }

  #flush(): void {
    this.#hash.update(this.#lines.subarray(0, this.#used));
    this.#used = 0;
  }
}
