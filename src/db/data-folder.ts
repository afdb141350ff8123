import { existsSync } from 'node:fs';
import { access, chmod, constants, lstat, mkdir } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { OperatorError, systemCodeOf } from '#kernel';

const mode = 0o700;

/** Makes the data folder, for this user only, unless it is there; it must be writable. Throws an `OperatorError`. */
export async function prepareDataFolder(path: string): Promise<void> {
  try {
    await makeFolder(path);
    // The separator makes a file that stands in its place an error.
    await access(path + sep, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new OperatorError(`The data folder ${path} cannot be written to: ${systemCodeOf(error) ?? String(error)}.`, {
      cause: error,
    });
  }
}

/** What this program makes in a data folder. */
const ownFolders = ['adapters', 'indexes', 'models', 'objects', 'postgres', 'training'];

/** Closes to other users what was made in a data folder while they were let in, where this user may. What is below need not be closed, too. */
export async function closeDataFolder(path: string): Promise<void> {
  for (const folder of ownFolders.map((name) => join(path, name))) {
    const found = await lstat(folder).catch(() => null);
    if (found?.isDirectory() && (found.mode & 0o077) !== 0) await chmod(folder, mode).catch(() => {});
  }
}

/**
 * Makes a folder and those above it, where another process may be quicker. Node's own `recursive` never returns where a file
 * system denies that a new folder's parent exists, as /proc does (Node 24.21).
 */
async function makeFolder(path: string): Promise<void> {
  try {
    await makeInParent(path);
  } catch (error) {
    if (systemCodeOf(error) !== 'ENOENT') throw error;
    const parent = dirname(path);
    if (!existsSync(parent)) await makeFolder(parent);
    await makeInParent(path);
  }
}

async function makeInParent(path: string): Promise<void> {
  try {
    await mkdir(path, { mode });
  } catch (error) {
    if (systemCodeOf(error) !== 'EEXIST') throw error;
  }
}
