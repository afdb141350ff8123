import type { LineBlock, LineBlocks } from './line-blocks.ts';

const newline = 0x0a;
/** Blocks are of this size where no line is longer: large enough to be worth a message, small enough for the caches. */
const usualBlockBytes = 1 << 18;
/** Memory that waits for the next blocks. */
const mostFree = 16;

/** Divides a text into blocks of whole lines. */
export function cutIntoBlocks(
  chunks: AsyncIterable<Buffer>,
  { maxRowBytes, blockBytes = usualBlockBytes }: { maxRowBytes: number; blockBytes?: number },
): LineBlocks {
  const cutter = new BlockCutter(maxRowBytes, blockBytes);
  async function* blocks(): AsyncGenerator<LineBlock> {
    for await (const chunk of chunks) yield* cutter.take(chunk);
    yield* cutter.end();
  }
  return { blocks: blocks(), maxRowBytes, release: (memory) => cutter.release(memory) };
}

class BlockCutter {
  readonly #maxRowBytes: number;
  readonly #blockBytes: number;
  /** Memory is used again: allocating each block would keep the garbage collector busy. */
  readonly #free: ArrayBuffer[] = [];
  #buffer: Buffer<ArrayBuffer>;
  #used = 0;
  /** Offset of the current block in the text. */
  #offset = 0;
  /** Bytes seen so far of a line that is too long; 0: there is none. */
  #longBytes = 0;

  constructor(maxRowBytes: number, blockBytes: number) {
    this.#maxRowBytes = maxRowBytes;
    this.#blockBytes = blockBytes;
    this.#buffer = this.#take(this.#blockBytes);
  }

  release(memory: ArrayBuffer): void {
    if (memory.byteLength === this.#blockBytes && this.#free.length < mostFree) this.#free.push(memory);
  }

  *take(chunk: Buffer): Generator<LineBlock> {
    let at = this.#longBytes > 0 ? this.#throughLong(chunk) : 0;
    while (at < chunk.length) {
      const fitting = Math.min(chunk.length - at, this.#buffer.length - this.#used);
      chunk.copy(this.#buffer, this.#used, at, at + fitting);
      this.#used += fitting;
      at += fitting;
      if (this.#used < this.#buffer.length) continue;
      const lines = this.#buffer.lastIndexOf(newline) + 1;
      if (lines > 0) yield this.#cut(lines);
      else if (this.#used <= this.#maxRowBytes) this.#grow();
      else {
        yield this.#beginLong();
        at = this.#throughLong(chunk, at);
      }
    }
  }

  *end(): Generator<LineBlock> {
    if (this.#longBytes === 0 && this.#used > 0) yield this.#cut(this.#used);
  }

  /** The first bytes of what is gathered; the others begin the next block. */
  #cut(bytes: number): LineBlock {
    const block = { buffer: this.#buffer, bytes, byteOffset: this.#offset, isCut: false };
    const rest = this.#used - bytes;
    this.#buffer = this.#take(Math.max(this.#blockBytes, rest * 2));
    block.buffer.copy(this.#buffer, 0, bytes, bytes + rest);
    this.#used = rest;
    this.#offset += bytes;
    return block;
  }

  #beginLong(): LineBlock {
    const block = { buffer: this.#buffer, bytes: this.#used, byteOffset: this.#offset, isCut: true };
    this.#buffer = this.#take(this.#blockBytes);
    this.#longBytes = this.#used;
    this.#used = 0;
    return block;
  }

  /** Goes on behind the line that is too long, or to the end of the chunk. */
  #throughLong(chunk: Buffer, at = 0): number {
    const end = chunk.indexOf(newline, at);
    const behind = end < 0 ? chunk.length : end + 1;
    this.#longBytes += behind - at;
    if (end >= 0) {
      this.#offset += this.#longBytes;
      this.#longBytes = 0;
    }
    return behind;
  }

  #grow(): void {
    // One byte more than a row may have is enough to know.
    const larger = this.#take(Math.min(this.#buffer.length * 2, this.#maxRowBytes + 1));
    this.#buffer.copy(larger, 0, 0, this.#used);
    this.#buffer = larger;
  }

  #take(bytes: number): Buffer<ArrayBuffer> {
    const free = bytes === this.#blockBytes ? this.#free.pop() : undefined;
    return Buffer.from(free ?? new ArrayBuffer(bytes));
  }
}
