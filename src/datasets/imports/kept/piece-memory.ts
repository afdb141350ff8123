import { blockMemory, wholeBlocks } from './past-memory.ts';

const pieceBytes = 1 << 16;
/** Ordinary pieces that wait for rows to be written into them. */
const mostSpare = 64;

/**
 * Memory for pieces of kept rows. It is used again, because allocating each piece would keep the garbage collector
 * busy. A fixed number of pieces begin at a block boundary and can be written past the page cache; while all of those
 * wait for the disk, ordinary pieces are used, which cannot.
 */
export class PieceMemory {
  readonly #blocks: Buffer<ArrayBuffer> | null;
  readonly #free: Buffer<ArrayBuffer>[] = [];
  readonly #spare: Buffer<ArrayBuffer>[] = [];

  constructor(pieces: number) {
    this.#blocks = blockMemory(pieces * pieceBytes);
    for (let piece = pieces - 1; this.#blocks && piece >= 0; piece--)
      this.#free.push(this.#blocks.subarray(piece * pieceBytes, (piece + 1) * pieceBytes));
  }

  /** Room for at least so many bytes, in whole blocks. */
  take(bytes: number): Buffer<ArrayBuffer> {
    const used = bytes <= pieceBytes ? (this.#free.pop() ?? this.#spare.pop()) : undefined;
    return used ?? Buffer.allocUnsafeSlow(wholeBlocks(Math.max(pieceBytes, bytes)));
  }

  /** What was taken, or its beginning, is written. */
  giveBack({ buffer, byteOffset }: Buffer<ArrayBuffer>): void {
    if (buffer === this.#blocks?.buffer) this.#free.push(Buffer.from(buffer, byteOffset, pieceBytes));
    else if (buffer.byteLength === pieceBytes && this.#spare.length < mostSpare) this.#spare.push(Buffer.from(buffer));
  }

  canPassBy(piece: Buffer<ArrayBuffer>): boolean {
    return piece.buffer === this.#blocks?.buffer;
  }

  /** Null: none begins at a block. */
  get blocks(): Buffer<ArrayBuffer> | null {
    return this.#blocks;
  }
}
