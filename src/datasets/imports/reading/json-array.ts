import { ImportFailure } from './import-failure.ts';
import { readJsonRow } from './read-json-row.ts';
import { batchesOf, type ReadBounds, RowBuffer, type SourceRow, tooLongRow } from './source-row.ts';

/**
 * Reads a JSON file that is one array of objects. Only the ends of items are looked for here; `JSON.parse` reads each. So memory
 * holds one item at a time, and an item that is wrong does not spoil the others.
 */
export async function* readJsonArray(chunks: AsyncIterable<Buffer>, bounds: ReadBounds): AsyncGenerator<SourceRow[]> {
  const reader = new ArrayReader(bounds.maxRowBytes);
  for await (const chunk of chunks) yield* batchesOf(reader.read(chunk));
  reader.end();
}

const [quote, backslash, newline, comma] = [0x22, 0x5c, 0x0a, 0x2c];
const [openArray, closeArray, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d];

type Expected = 'array' | 'first item' | 'item' | 'separator' | 'nothing';

const expectations = {
  array: 'a list of objects',
  'first item': 'an object',
  item: 'an object',
  separator: '"," or "]"',
};

type ScannedItem = { line: number; byteOffset: number; depth: number; inText: boolean; escaped: boolean };

class ArrayReader {
  readonly #maxRowBytes: number;
  #expected: Expected = 'array';
  #line = 1;
  /** Offset of the present chunk in the text. */
  #byteOffset = 0;
  /** The item that has not ended yet, and how far it was scanned. */
  #item: ScannedItem | null = null;
  readonly #buffer: RowBuffer;

  constructor(maxRowBytes: number) {
    this.#maxRowBytes = maxRowBytes;
    this.#buffer = new RowBuffer(maxRowBytes);
  }

  *read(chunk: Buffer): Generator<SourceRow> {
    for (let at = 0; at < chunk.length; ) {
      const byte = chunk[at] ?? 0;
      if (this.#item === null && this.#beginsItem(byte))
        this.#item = {
          line: this.#line,
          byteOffset: this.#byteOffset + at,
          depth: 0,
          inText: false,
          escaped: false,
        };
      if (this.#item === null) {
        if (byte === newline) this.#line++;
        at++;
        continue;
      }
      const end = this.#endOfItem(this.#item, chunk, at);
      this.#buffer.append(chunk.subarray(at, end ?? chunk.length));
      if (end === null) break;
      yield this.#endItem(this.#item);
      at = end;
    }
    this.#byteOffset += chunk.length;
  }

  end(): void {
    if (this.#expected === 'nothing') return;
    if (this.#expected === 'array') throw new ImportFailure('empty_file', 'The file holds no JSON.');
    throw new ImportFailure('unreadable', `The list of the file does not end; the text ends in line ${this.#line}.`, {
      hint: 'The file may have been cut off.',
    });
  }

  #beginsItem(byte: number): boolean {
    if (byte === 0x20 || byte === newline || byte === 0x0d || byte === 0x09) return false;
    const expected = this.#expected;
    if (expected === 'array' && byte === openArray) this.#expected = 'first item';
    else if ((expected === 'first item' || expected === 'separator') && byte === closeArray) this.#expected = 'nothing';
    else if (expected === 'separator' && byte === comma) this.#expected = 'item';
    else if ((expected === 'first item' || expected === 'item') && byte !== comma && byte !== closeArray) return true;
    else this.#refuse(byte);
    return false;
  }

  #refuse(byte: number): never {
    if (this.#expected === 'nothing')
      throw new ImportFailure('unreadable', `The file goes on after its list, in line ${this.#line}.`);
    const found = JSON.stringify(String.fromCharCode(byte));
    throw new ImportFailure(
      'unreadable',
      `Expected ${expectations[this.#expected]} in line ${this.#line}, but found ${found}.`,
      {
        hint:
          this.#expected === 'array'
            ? 'For one object a line, choose the format jsonl.'
            : 'Check the JSON of the file.',
      },
    );
  }

  /** Where the item ends in this chunk; null: it goes on in the next one. */
  #endOfItem(item: ScannedItem, chunk: Buffer, start: number): number | null {
    let { depth, inText, escaped } = item;
    for (let at = start; at < chunk.length; at++) {
      const byte = chunk[at];
      if (byte === newline) this.#line++;
      if (escaped) escaped = false;
      else if (inText) {
        if (byte === backslash) escaped = true;
        else if (byte === quote) inText = false;
      } else if (byte === quote) inText = true;
      else if (byte === openObject || byte === openArray) depth++;
      else if (depth === 0 && (byte === comma || byte === closeArray)) return at;
      else if (byte === closeObject || byte === closeArray) {
        depth--;
        if (depth <= 0) return at + 1;
      }
    }
    Object.assign(item, { depth, inText, escaped });
    return null;
  }

  #endItem({ line, byteOffset }: ScannedItem): SourceRow {
    const { text, isTooLong } = this.#buffer.take();
    this.#expected = 'separator';
    this.#item = null;
    const location = { line, byteOffset };
    return isTooLong ? tooLongRow(text, location, this.#maxRowBytes) : readJsonRow(text, location);
  }
}
