import { createHash } from 'node:crypto';
import { appendFile, mkdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import type { StorableExample } from '../../examples/new-examples.ts';
import { lineOf } from '../../versions/version-content.ts';
import { tokenStatsOf } from '../../versions/versions.store.ts';
import type { Summary } from '../../versions/versions.ts';

/** Examples are divided by the first byte of their hash: one part fits into memory, to be sorted there. */
const partCount = 256;
const maxPendingChars = 64 * 1024;

type Part = { file: string; pending: string; isWritten: boolean };

/**
 * The summary of a version that has these examples and no others. Its lines are sorted by hash in temporary files, because
 * reading them back from the database takes as long as writing them.
 */
export class VersionDigest {
  readonly #folder: string;
  readonly #parts: readonly Part[];
  readonly #tokens: number[] = [];
  readonly #counts = { train: 0, test: 0 };

  private constructor(folder: string) {
    this.#folder = folder;
    this.#parts = Array.from({ length: partCount }, (_, at) => ({
      file: path.join(folder, String(at)),
      pending: '',
      isWritten: false,
    }));
  }

  static async create(tempDir: string): Promise<VersionDigest> {
    const folder = path.join(tempDir, 'version-lines');
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return new VersionDigest(folder);
  }

  async add(examples: readonly StorableExample[]): Promise<void> {
    for (const example of examples) {
      // A version has only valid ones.
      if (!example.valid) continue;
      this.#counts[example.split]++;
      if (example.tokens !== null) this.#tokens.push(example.tokens);
      const part = this.#parts[example.hash.readUInt8(0)];
      if (!part) throw new Error('There is no such part. This is a bug.');
      part.pending += example.hash.toString('hex') + lineOf(example);
      if (part.pending.length < maxPendingChars) continue;
      const { file, pending } = part;
      part.pending = '';
      part.isWritten = true;
      await appendFile(file, pending, { mode: 0o600 });
    }
  }

  async summary(): Promise<Summary> {
    const hash = createHash('sha256');
    let bytes = 0;
    for (const { file, pending, isWritten } of this.#parts) {
      const text = (isWritten ? await readFile(file, 'utf8') : '') + pending;
      // The hash, then the line, which ends with the split: the canonical order of a version.
      const lines = text.split('\n').slice(0, -1).sort();
      const sorted = Buffer.from(lines.map((line) => `${line.slice(hexChars)}\n`).join(''));
      hash.update(sorted);
      bytes += sorted.length;
    }
    return {
      sha256: hash.digest('hex'),
      bytes: BigInt(bytes),
      trainCount: this.#counts.train,
      testCount: this.#counts.test,
      tokenStats: tokenStatsOf(Uint32Array.from(this.#tokens).sort()),
    };
  }

  /** Removes the temporary files. */
  close(): Promise<void> {
    return rm(this.#folder, { recursive: true, force: true });
  }
}

const hexChars = 64;
