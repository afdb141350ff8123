import { readFileSync } from 'node:fs';

/** A slot: fifteen bytes of a word, those behind its end being 0, and how many tokens it has. Two make a pair. */
const slotBytes = 16;
export const longestInTable = slotBytes - 1;
const mostTokens = 0xff;
const mostWords = 1 << 16;
/** Half of the slots are free at least. */
const mostSlots = mostWords * 2;

/** The memory: what a word of so many bytes has of a slot, a word to be looked for, the table, the text. */
const wordAt = slotBytes * slotBytes;
const pageBytes = 1 << 16;
const tableAt = pageBytes;
const textAt = tableAt + mostSlots * slotBytes;

/** What the loop has to ask (`words.wat`). */
type Asked = { endOf: (at: number, end: number) => number; countAnew: (at: number, end: number) => number };

type Program = {
  count: (at: number, end: number) => number;
  slotOf: (at: number, bytes: number) => number;
  bits: { value: bigint };
};

/**
 * Counts of short words, and the text that is counted, in one piece of memory: no word is a string, and no two share a slot. Of
 * memory that is not touched the system gives nothing.
 */
export class WordTable {
  readonly #memory = new WebAssembly.Memory({ initial: textAt / pageBytes + 2 });
  readonly #program: Program;
  #words = 0;
  /** All of the memory. Texts stand in it from `textAt` on; what they grow out of is there no more. */
  bytes = Buffer.from(this.#memory.buffer);
  readonly textAt = textAt;

  constructor(asked: Asked) {
    const module = new WebAssembly.Module(readFileSync(new URL('./words.wasm', import.meta.url)));
    const imports = { memory: this.#memory, table: tableAt, ...asked };
    const { exports } = new WebAssembly.Instance(module, { words: imports });
    // as: this is what words.wat exports.
    this.#program = exports as unknown as Program;
    for (let bytes = 0; bytes < slotBytes; bytes++) this.bytes.fill(0xff, bytes * slotBytes, bytes * slotBytes + bytes);
  }

  /** Tokens of a stretch of the text, behind which there is no letter. `NaN`: of some word. -1: not all bytes are known. */
  count(at: number, end: number): number {
    return this.#program.count(at, end);
  }

  /** Of a word that is not known. */
  add(at: number, end: number, tokens: number): void {
    if (tokens > mostTokens || end - at > longestInTable) return;
    if (this.#words >= mostWords) this.#forget();
    else if (this.#words * 2 >= this.#slots()) this.#spread();
    this.#words++;
    const slot = this.#program.slotOf(at, end - at);
    this.bytes.copyWithin(slot, at, end);
    this.bytes[slot + longestInTable] = tokens;
  }

  /** Room for so many bytes behind those of the text that are used. */
  makeRoom(used: number, needed: number): void {
    const missing = used + needed - this.bytes.length;
    if (missing <= 0) return;
    this.#memory.grow(Math.ceil(Math.max(missing, used - textAt) / pageBytes));
    this.bytes = Buffer.from(this.#memory.buffer);
  }

  #slots(): number {
    return 2 ** (Number(this.#program.bits.value) + 1);
  }

  #forget(): void {
    this.bytes.fill(0, tableAt, textAt);
    this.#words = 0;
  }

  /** Twice as many slots: as few as will do stay in the caches. */
  #spread(): void {
    const end = tableAt + this.#slots() * slotBytes;
    const before = Buffer.from(this.bytes.subarray(tableAt, end));
    this.bytes.fill(0, tableAt, end);
    this.#program.bits.value++;
    for (let slot = 0; slot < before.length; slot += slotBytes) {
      if (before[slot] === 0) continue;
      before.copy(this.bytes, wordAt, slot, slot + slotBytes);
      const free = this.#program.slotOf(wordAt, longestInTable);
      this.bytes.copyWithin(free, wordAt, wordAt + slotBytes);
    }
  }
}
