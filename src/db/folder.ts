import { existsSync } from 'node:fs';
import { access, constants, mkdir } from 'node:fs/promises';
import { dirname, sep } from 'node:path';
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
