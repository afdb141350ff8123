import { createHash, randomBytes } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { access, mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Adapter } from '#engine';
import type { ObjectStore } from '#objects';

/** Adapters as files of this machine, named by their content: the engine reads files. */
export type AdapterFiles = {
  /** Fetches it where it is not here yet. Throws `artifact_not_found`. */
  fetch: (adapter: { sha256: string; key: string }) => Promise<Adapter>;
};

export function createAdapterFiles(objects: ObjectStore, folder: string): AdapterFiles {
  const fetching = new Map<string, Promise<Adapter>>();

  async function fetchNow(sha256: string, key: string): Promise<Adapter> {
    const path = join(folder, `${sha256}.gguf`);
    if (await isThere(path)) return { sha256, path };
    await mkdir(folder, { recursive: true });
    const draft = join(folder, `.${sha256}.${randomBytes(6).toString('hex')}`);
    try {
      await pipeline(await objects.get(key), createWriteStream(draft, { flush: true }));
      if ((await digestOf(draft)) !== sha256) throw new Error(`The object ${key} is not the adapter ${sha256}.`);
      // Whole from the first moment, also for other processes with the same folder.
      await rename(draft, path);
    } finally {
      await rm(draft, { force: true });
    }
    return { sha256, path };
  }

  return {
    fetch({ sha256, key }) {
      const known = fetching.get(sha256);
      if (known) return known;
      const fetched = fetchNow(sha256, key).finally(() => fetching.delete(sha256));
      fetching.set(sha256, fetched);
      return fetched;
    },
  };
}

function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk);
  return hash.digest('hex');
}
