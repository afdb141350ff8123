import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** What the web app is built from, beside its own folder: the exact versions of its packages. */
const lockFile = 'package-lock.json';

/**
 * A name for what a build of the web app would be made of. Contents count, times do not: a checkout that was copied, or
 * went back to an earlier state, finds the build that fits it.
 */
export async function markSources(root: string): Promise<string> {
  const files = await readdir(join(root, 'web'), { recursive: true, withFileTypes: true });
  const paths = files
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.md'))
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
  const hash = createHash('sha256');
  for (const path of [join(root, lockFile), ...paths]) {
    const content = await readFile(path);
    hash.update(`${path.slice(root.length)} ${content.length}\n`).update(content);
  }
  return hash.digest('hex').slice(0, 20);
}
