import { createHash } from 'node:crypto';
import { constants, existsSync } from 'node:fs';
import { access, mkdir, readdir, readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { startProcess } from '#processes';

/** Longest time that a build may take before it counts as hung, with waiting for another process that makes the same one. */
const buildMs = 600_000;

/** A folder with a complete build of this name; makes it first when there is none. */
export async function findOrMakeBuild(root: string, mark: string, onBuild: () => void): Promise<string> {
  const places = [join(root, '.cache', 'web'), join(homedir(), '.cache', 'fanfold', 'web')];
  for (const place of places) if (existsSync(join(place, mark, 'index.html'))) return join(place, mark);
  const place = await firstWritable(places);
  if (place === null) throw new Error(`None of ${places.join(', ')} can be written to.`);
  onBuild();
  await runBuild(root, join(place, mark));
  return join(place, mark);
}

/** A checkout may belong to somebody else; then the build goes to the user's own cache. */
async function firstWritable(places: readonly string[]): Promise<string | null> {
  for (const place of places) {
    try {
      await mkdir(place, { recursive: true });
      await access(place, constants.W_OK);
      return place;
    } catch {
      // Not writable: the next place is tried.
    }
  }
  return null;
}

/** In a process of its own: the tools need memory that a server should not keep. */
async function runBuild(root: string, folder: string): Promise<void> {
  const build = startProcess(process.execPath, {
    args: [join(root, 'web', 'tools', 'build.ts'), folder],
    cwd: root,
    output: () => {},
    timeoutMs: buildMs,
  });
  const { code, reason, tail } = await build.exited;
  if (code !== 0) throw new Error(`The build of the web app failed: ${reason}\n${tail}`);
}

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
