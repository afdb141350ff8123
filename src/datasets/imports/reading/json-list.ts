import { ImportFailure } from './import-failure.ts';
import { readJsonRow } from './read-json-row.ts';
import { batchRows, brokenRow, type ReadBounds, type SourceRow } from './source-row.ts';

/**
 * Where the scan stands: before the list, before an item (or the end of an empty list), in an item, behind one, behind the
 * list.
 */
type Place = 'start' | 'first' | 'item' | 'inside' | 'behind' | 'end';

const maxBatchBytes = 1 << 20;
const quote = 0x22;
const backslash = 0x5c;

/**
 * Reads a JSON file that is one list of objects. It finds where items begin and end, and the engine's own parser reads
 * each: so memory holds an item at a time, and an item that is wrong does not spoil the others.
 */
export async function* readJsonList(chunks: AsyncIterable<Buffer>, bounds: ReadBounds): AsyncGenerator<SourceRow[]> {
  const scan = new ListScan(bounds.maxRowBytes);
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length; ) {
      at = scan.advance(chunk, at);
      if (scan.isFull) yield scan.takeRows();
    }
    scan.keepRest(chunk);
  }
  scan.finish();
  const rest = scan.takeRows();
  if (rest.length > 0) yield rest;
}

class ListScan {
  readonly #maxRowBytes: number;
  #place: Place = 'start';
  #rows: SourceRow[] = [];
  #rowBytes = 0;
  /** Offset of the present chunk in the whole text. */
  #offset = 0;
  #line = 1;
  #item = { line: 0, byteOffset: 0, depth: 0, inText: false, escaped: false };
  #parts: Buffer[] = [];
  #itemBytes = 0;
  /** Where the present item begins in the present chunk. */
  #from = 0;

  constructor(maxRowBytes: number) {
    this.#maxRowBytes = maxRowBytes;
  }

  get isFull(): boolean {
    return this.#rows.length >= batchRows || this.#rowBytes >= maxBatchBytes;
  }

  takeRows(): SourceRow[] {
    const rows = this.#rows;
    this.#rows = [];
    this.#rowBytes = 0;
    return rows;
  }

  /** Goes on from `start` to the end of an item, or of the chunk; returns where it stopped. */
  advance(chunk: Buffer, start: number): number {
    for (let at = start; at < chunk.length; ) {
      if (this.#place === 'inside') {
        const end = this.#throughItem(chunk, at);
        if (end < 0) return chunk.length;
        this.#endItem(chunk.subarray(this.#from, end));
        if (this.isFull) return end;
        at = end;
        continue;
      }
      this.#between(chunk, at);
      // The byte that begins an item belongs to it.
      if (!this.#isInItem()) {
        this.#offset++;
        if (chunk[at] === 0x0a) this.#line++;
        at++;
      }
    }
    return chunk.length;
  }

  #isInItem(): boolean {
    return this.#place === 'inside';
  }

  keepRest(chunk: Buffer): void {
    if (this.#place !== 'inside') return;
    const rest = chunk.subarray(this.#from);
    if (this.#itemBytes <= this.#maxRowBytes) this.#parts.push(rest);
    this.#itemBytes += rest.length;
    this.#from = 0;
  }

  finish(): void {
    if (this.#place === 'end') return;
    if (this.#place === 'start') throw new ImportFailure('empty_file', 'The file holds no JSON.');
    throw new ImportFailure('unreadable', `The list of the file does not end; the text ends in line ${this.#line}.`, {
      hint: 'The file may have been cut off.',
    });
  }

  #between(chunk: Buffer, at: number): void {
    const byte = chunk[at] ?? 0;
    if (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) return;
    if (this.#place === 'start' && byte === 0x5b) this.#place = 'first';
    else if ((this.#place === 'first' || this.#place === 'behind') && byte === 0x5d) this.#place = 'end';
    else if (this.#place === 'behind' && byte === 0x2c) this.#place = 'item';
    else if ((this.#place === 'first' || this.#place === 'item') && byte !== 0x2c && byte !== 0x5d) {
      this.#place = 'inside';
      this.#item = { line: this.#line, byteOffset: this.#offset, depth: 0, inText: false, escaped: false };
      this.#parts = [];
      this.#itemBytes = 0;
      this.#from = at;
    } else this.#refuse(byte);
  }

  #refuse(byte: number): never {
    const found = JSON.stringify(String.fromCharCode(byte));
    const expected = { start: 'a list of objects', first: 'an object', item: 'an object', behind: '"," or "]"' };
    if (this.#place === 'end' || this.#place === 'inside')
      throw new ImportFailure('unreadable', `The file goes on after its list, in line ${this.#line}.`);
    throw new ImportFailure(
      'unreadable',
      `Expected ${expected[this.#place]} in line ${this.#line}, but found ${found}.`,
      {
        hint:
          this.#place === 'start' ? 'For one object a line, choose the format jsonl.' : 'Check the JSON of the file.',
      },
    );
  }

  /** The end of the present item in this chunk; -1 when it goes on in the next one. */
  #throughItem(chunk: Buffer, start: number): number {
    const item = this.#item;
    let { depth, inText, escaped } = item;
    let end = -1;
    let at = start;
    for (; at < chunk.length; at++) {
      const byte = chunk[at];
      if (byte === 0x0a) this.#line++;
      if (escaped) escaped = false;
      else if (inText) {
        if (byte === backslash) escaped = true;
        else if (byte === quote) inText = false;
      } else if (byte === quote) inText = true;
      else if (byte === 0x7b || byte === 0x5b) depth++;
      else if (depth === 0 && (byte === 0x2c || byte === 0x5d)) {
        end = at;
        break;
      } else if (byte === 0x7d || byte === 0x5d) {
        depth--;
        if (depth > 0) continue;
        end = at + 1;
        at++;
        break;
      }
    }
    this.#offset += at - start;
    Object.assign(item, { depth, inText, escaped });
    return end;
  }

  #endItem(last: Buffer): void {
    const { line, byteOffset } = this.#item;
    const bytes = this.#parts.length === 0 ? last : Buffer.concat([...this.#parts, last]);
    const length = this.#itemBytes + last.length;
    if (length > this.#maxRowBytes) {
      const message = `The row is longer than ${this.#maxRowBytes} bytes.`;
      this.#rows.push(
        brokenRow({ line, byteOffset }, { code: 'too_large', message }, bytes.toString('utf8', 0, 1_000)),
      );
    } else this.#rows.push(readJsonRow(bytes, { line, byteOffset }));
    this.#rowBytes += Math.min(length, this.#maxRowBytes);
    this.#parts = [];
    this.#itemBytes = 0;
    this.#place = 'behind';
  }
}
