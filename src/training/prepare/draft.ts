import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, mkdir, mkdtemp, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ObjectStore } from '#objects';
import type { SnapshotFile, SnapshotFileName } from './snapshot.ts';

class DraftFile {
  readonly path: string;
  readonly #file: FileHandle;
  readonly #hash = createHash('sha256');
  #bytes = 0;
  #lines = 0;

  private constructor(path: string, file: FileHandle) {
    this.path = path;
    this.#file = file;
  }

  static async create(path: string): Promise<DraftFile> {
    return new DraftFile(path, await open(path, 'wx', 0o600));
  }

  async write(lines: readonly string[]): Promise<void> {
    if (lines.length === 0) return;
    const bytes = Buffer.from(`${lines.join('\n')}\n`);
    this.#hash.update(bytes);
    this.#bytes += bytes.length;
    this.#lines += lines.length;
    await this.#file.appendFile(bytes);
  }

  facts(): SnapshotFile {
    return { bytes: this.#bytes, sha256: this.#hash.copy().digest('hex'), samples: this.#lines };
  }

  close(): Promise<void> {
    return this.#file.close();
  }

  async store(objects: ObjectStore, key: string, signal: AbortSignal): Promise<void> {
    await objects.put(key, createReadStream(this.path), { signal });
  }
}

export type Drafts = Record<SnapshotFileName, DraftFile>;

/** Files of a snapshot whose name is not known before they are whole; they are gone at the end of `work`. */
export async function withDrafts<Result>(folder: string, work: (drafts: Drafts) => Promise<Result>): Promise<Result> {
  await mkdir(folder, { recursive: true });
  const own = await mkdtemp(join(folder, 'draft-'));
  const made: DraftFile[] = [];
  const make = async (name: string) => {
    const draft = await DraftFile.create(join(own, name));
    made.push(draft);
    return draft;
  };
  try {
    return await work({
      train: await make('train'),
      eval: await make('eval'),
      raw: await make('raw'),
      control: await make('control'),
      replay: await make('replay'),
    });
  } finally {
    await Promise.all(made.map((draft) => draft.close()));
    await rm(own, { recursive: true, force: true });
  }
}
