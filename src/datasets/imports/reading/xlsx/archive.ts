import type { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import yauzl from 'yauzl';
import { ImportFailure } from '../import-failure.ts';
import { checkGrowth, checkTextBytes } from '../read-limits.ts';

/** A workbook has a few dozen; those with many pictures some thousands. */
const maxEntries = 20_000;
/** Up to this size any ratio is allowed: sheets with formatted but empty cells compress very well. */
const freeBytes = 64 * 1024 * 1024;
const hint = 'Save the sheet as CSV and upload that.';

export type ArchiveBounds = { packedBytes: number; maxTextBytes: number };

/** The parts of an Office file. Only those that are read are unpacked; all of them together are bounded. */
export class Archive {
  readonly #zip: yauzl.ZipFile;
  readonly #entries: ReadonlyMap<string, yauzl.Entry>;
  readonly #bounds: ArchiveBounds;
  #unpackedBytes = 0;

  private constructor(zip: yauzl.ZipFile, entries: ReadonlyMap<string, yauzl.Entry>, bounds: ArchiveBounds) {
    this.#zip = zip;
    this.#entries = entries;
    this.#bounds = bounds;
  }

  static async open(path: string, bounds: ArchiveBounds): Promise<Archive> {
    const zip = await yauzl.openPromise(path, { autoClose: false }).catch((error: unknown) => {
      throw damaged(error);
    });
    try {
      return new Archive(zip, await entriesOf(zip), bounds);
    } catch (error) {
      zip.close();
      throw error;
    }
  }

  /** Names of parts do not differ in case only. */
  has(name: string): boolean {
    return this.#entries.has(keyOf(name));
  }

  /** The bytes of a part; a part that is not there has none. */
  async *read(name: string): AsyncGenerator<Buffer> {
    const entry = this.#entries.get(keyOf(name));
    if (!entry) return;
    if (entry.isEncrypted()) throw new ImportFailure('wrong_format', 'The workbook has a password.', passwordHint);
    let source: Readable | null = null;
    let crc = 0;
    try {
      source = await this.#zip.openReadStreamPromise(entry);
      for await (const chunk of source as AsyncIterable<Buffer>) {
        this.#count(chunk.length);
        crc = crc32(chunk, crc);
        yield chunk;
      }
    } catch (error) {
      throw damaged(error);
    } finally {
      source?.destroy();
    }
    if (crc !== entry.crc32) throw damaged(null);
  }

  close(): void {
    this.#zip.close();
  }

  #count(bytes: number): void {
    const { packedBytes, maxTextBytes } = this.#bounds;
    this.#unpackedBytes += bytes;
    checkTextBytes(this.#unpackedBytes, maxTextBytes);
    checkGrowth(this.#unpackedBytes, { packedBytes, freeBytes, hint });
  }
}

export const passwordHint = { hint: 'Open it in Excel, remove the password, and save it again.' };

async function entriesOf(zip: yauzl.ZipFile): Promise<Map<string, yauzl.Entry>> {
  if (zip.entryCount > maxEntries)
    throw new ImportFailure(
      'too_large',
      `The workbook has ${zip.entryCount} parts; at most ${maxEntries} can be read.`,
      {
        details: { limit: maxEntries, actual: zip.entryCount },
        hint,
      },
    );
  const entries = new Map<string, yauzl.Entry>();
  try {
    for await (const entry of zip.eachEntry()) entries.set(keyOf(entry.fileName), entry);
  } catch (error) {
    throw damaged(error);
  }
  return entries;
}

function keyOf(name: string): string {
  return name.replace(/^\/+/, '').toLowerCase();
}

function damaged(cause: unknown): ImportFailure {
  if (cause instanceof ImportFailure) return cause;
  return new ImportFailure('unreadable', 'The file is damaged: it cannot be unpacked.', {
    hint: 'The file may have been cut off. Save it again and upload it anew.',
  });
}
