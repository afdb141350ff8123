import { randomBytes } from 'node:crypto';
import { access, copyFile, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { join, posix } from 'node:path';
import type { Adapter } from '../../port.ts';

/** Where adapters come from in the form that other engines read. */
export type AdapterSource = {
  /** Writes `adapter_config.json` and `adapter_model.safetensors` of an adapter into an empty folder. */
  writePeft: (sha256: string, folder: string) => Promise<void>;
};

export type SharedFolder = {
  /** Path on this server. */
  here: string;
  /** Path of the same folder where the engine runs. */
  there: string;
};

/** A folder that this server and an engine share. What lies in it is named by its content, whole, and never changes. */
export class AdapterFolder {
  readonly #folder: SharedFolder;
  readonly #source: AdapterSource;

  constructor(folder: SharedFolder, source: AdapterSource) {
    this.#folder = folder;
    this.#source = source;
  }

  /** Brings the folder that PEFT writes; returns its path as the engine calls it. */
  async bringPeft({ sha256 }: Adapter): Promise<string> {
    await this.#bring(sha256, async (draft) => {
      await mkdir(draft);
      await this.#source.writePeft(sha256, draft);
      for (const name of await readdir(draft)) await flush(join(draft, name));
    });
    return posix.join(this.#folder.there, sha256);
  }

  /** Brings the GGUF file; returns its path as the engine calls it. */
  async bringGguf({ sha256, path }: Adapter): Promise<string> {
    const name = ggufName(sha256);
    await this.#bring(name, async (draft) => {
      await copyFile(path, draft);
      await flush(draft);
    });
    return posix.join(this.#folder.there, name);
  }

  /** Other servers may do the same at this moment: whoever comes second leaves what is there. */
  async #bring(name: string, write: (draft: string) => Promise<void>): Promise<void> {
    const path = join(this.#folder.here, name);
    if (await isThere(path)) return;
    const draft = join(this.#folder.here, `.${name}.${randomBytes(6).toString('hex')}`);
    try {
      await write(draft);
      await rename(draft, path);
    } catch (error) {
      if (!(await isThere(path))) throw error;
    } finally {
      await rm(draft, { recursive: true, force: true });
    }
  }
}

export const ggufName = (sha256: string) => `${sha256}.gguf`;

async function flush(path: string): Promise<void> {
  const file = await open(path, 'r+');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
