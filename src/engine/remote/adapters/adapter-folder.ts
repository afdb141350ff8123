import { chmod, copyFile, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join, posix } from 'node:path';
import type { Adapter } from '../../port.ts';
import { draftOf, markUsed, sweepFolder } from './sweep-folder.ts';

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

export type AdapterFolderDeps = { source: AdapterSource; onTrouble: (error: unknown) => void };

/**
 * A folder that this server and an engine share, as another user maybe: what lies in it is as open as the folder itself. What lies in it is named by its content, whole, and never changes; what nobody
 * uses any more goes when something comes.
 */
export class AdapterFolder {
  readonly #folder: SharedFolder;
  readonly #deps: AdapterFolderDeps;

  constructor(folder: SharedFolder, deps: AdapterFolderDeps) {
    this.#folder = folder;
    this.#deps = deps;
  }

  /** Brings the folder that PEFT writes; returns its path as the engine calls it. */
  async bringPeft({ sha256 }: Adapter): Promise<string> {
    await this.#bring(sha256, async (draft) => {
      await mkdir(draft);
      await this.#deps.source.writePeft(sha256, draft);
      const { mode } = await stat(this.#folder.here);
      await chmod(draft, mode);
      for (const name of await readdir(draft)) await flush(join(draft, name), mode);
    });
    return posix.join(this.#folder.there, sha256);
  }

  /** Brings the GGUF file; returns its path as the engine calls it. */
  async bringGguf({ sha256, path }: Adapter): Promise<string> {
    const name = ggufName(sha256);
    await this.#bring(name, async (draft) => {
      await copyFile(path, draft);
      await flush(draft, (await stat(this.#folder.here)).mode);
    });
    return posix.join(this.#folder.there, name);
  }

  /** Shows that it is in use. False: it is there no longer. */
  markPeft(sha256: string): Promise<boolean> {
    return markUsed(join(this.#folder.here, sha256));
  }

  markGguf(sha256: string): Promise<boolean> {
    return markUsed(join(this.#folder.here, ggufName(sha256)));
  }

  /** Other servers may do the same at this moment: whoever comes second leaves what is there. */
  async #bring(name: string, write: (draft: string) => Promise<void>): Promise<void> {
    const { here } = this.#folder;
    const path = join(here, name);
    if (await markUsed(path)) return;
    const draft = draftOf(here, name);
    try {
      await write(draft);
      await rename(draft, path);
    } catch (error) {
      if (!(await markUsed(path))) throw error;
    } finally {
      await rm(draft, { recursive: true, force: true });
    }
    await sweepFolder(here).catch(this.#deps.onTrouble);
  }
}

export const ggufName = (sha256: string) => `${sha256}.gguf`;

/** To the disk, readable for those that `mode` lets into a folder. */
async function flush(path: string, mode: number): Promise<void> {
  const file = await open(path, 'r+');
  try {
    await file.chmod(mode & 0o666);
    await file.sync();
  } finally {
    await file.close();
  }
}
