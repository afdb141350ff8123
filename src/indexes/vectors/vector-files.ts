import { randomBytes } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import path from 'node:path';
import type { Sql } from '#db';
import { systemCodeOf } from '#kernel';
import type { VectorFile } from './scan.ts';
import { listVectors } from './vectors.store.ts';

/** What is needed of an index whose documents all have their vectors. */
export type Vectors = { id: string; dimensions: number; documents: number };

export type VectorFiles = ReturnType<typeof createVectorFiles>;

export type VectorFilesOptions = {
  sql: Sql;
  folder: string;
  /** Those used least lately go when all together have more. */
  maxBytes: number;
};

const suffix = '.f32';
const partSuffix = '.part';
/** Nobody writes to a part any more that is so old: its process is dead. */
const partMs = 86_400_000;
/** A file that was requested this recently is not removed: it is opened within this time. */
const sparedMs = 30_000;

/** The vectors of indexes as files on this machine's disk, made from the database on first use. */
export function createVectorFiles({ sql, folder, maxBytes }: VectorFilesOptions) {
  const making = new Map<string, Promise<void>>();
  const pathOf = (indexId: string) => path.join(folder, `${indexId}${suffix}`);

  async function makeOnce(index: Vectors): Promise<void> {
    const known = making.get(index.id);
    if (known) return known;
    const made = make(index).finally(() => making.delete(index.id));
    making.set(index.id, made);
    return made;
  }

  /** Complete under its name or not there: a process that dies on the way leaves a part that nobody reads. */
  async function make(index: Vectors): Promise<void> {
    await mkdir(folder, { recursive: true });
    const part = path.join(folder, `${index.id}.${randomBytes(6).toString('hex')}${partSuffix}`);
    try {
      await write(sql, index, part);
      await rename(part, pathOf(index.id));
    } finally {
      await rm(part, { force: true });
    }
    await freeCapacity(folder, { maxBytes, spare: pathOf(index.id) });
  }

  async function openFile(index: Vectors): Promise<VectorFile> {
    const { id, dimensions, documents: rows } = index;
    const file = { path: pathOf(id), dimensions, rows };
    // Before it is looked at: whoever frees capacity leaves it from now on.
    const now = new Date();
    await utimes(file.path, now, now).catch(() => {});
    if ((await sizeOf(file.path)) !== rows * dimensions * 4) await makeOnce(index);
    return file;
  }

  /** Others may have been freeing capacity just before it was marked. */
  async function openToRead(index: Vectors): Promise<FileHandle> {
    const { path: filePath } = await openFile(index);
    return open(filePath, 'r').catch(async (error: unknown) => {
      if (systemCodeOf(error) !== 'ENOENT') throw error;
      return open((await openFile(index)).path, 'r');
    });
  }

  return {
    open: openFile,
    async read(index: Vectors, positions: readonly number[]): Promise<Map<number, Float32Array>> {
      const { dimensions } = index;
      const handle = await openToRead(index);
      try {
        const read = async (position: number): Promise<[number, Float32Array]> => {
          const vector = new Float32Array(dimensions);
          await handle.read(new Uint8Array(vector.buffer), 0, dimensions * 4, position * dimensions * 4);
          return [position, vector];
        };
        return new Map(await Promise.all(positions.map(read)));
      } finally {
        await handle.close();
      }
    },
    forget: (indexId: string) => rm(pathOf(indexId), { force: true }),
  };
}

async function write(sql: Sql, { id, dimensions, documents }: Vectors, filePath: string): Promise<void> {
  const handle = await open(filePath, 'wx', 0o600);
  try {
    for (let position = 0; position < documents; ) {
      const rows = await listVectors(sql, { indexId: id, fromPosition: position });
      for (const { firstPosition, count, vectors } of rows) {
        if (firstPosition !== position || vectors.length !== count * dimensions * 4)
          throw new Error(`The vectors of ${id} are not complete at position ${position}. This is a bug.`);
        await handle.write(vectors);
        position += count;
      }
      if (rows.length === 0) throw new Error(`The vectors of ${id} end at position ${position}. This is a bug.`);
    }
  } finally {
    await handle.close();
  }
}

async function sizeOf(filePath: string): Promise<number> {
  return stat(filePath).then(
    ({ size }) => size,
    () => -1,
  );
}

/** A file that is being searched stays readable for whoever has opened it, and is there for whoever is about to. */
async function freeCapacity(folder: string, { maxBytes, spare }: { maxBytes: number; spare: string }): Promise<void> {
  const all = await Promise.all(
    (await readdir(folder)).map(async (name) => {
      const file = path.join(folder, name);
      const { size, mtimeMs } = await stat(file).catch(() => ({ size: 0, mtimeMs: 0 }));
      return { file, size, mtimeMs };
    }),
  );
  const dead = all.filter(({ file, mtimeMs }) => file.endsWith(partSuffix) && mtimeMs < Date.now() - partMs);
  for (const { file } of dead) await rm(file, { force: true });
  const files = all.filter(({ file }) => file.endsWith(suffix));
  let bytes = files.reduce((sum, { size }) => sum + size, 0);
  for (const { file, size, mtimeMs } of files.toSorted((a, b) => a.mtimeMs - b.mtimeMs)) {
    if (bytes <= maxBytes) return;
    if (file === spare || mtimeMs > Date.now() - sparedMs) continue;
    await rm(file, { force: true });
    bytes -= size;
  }
}
