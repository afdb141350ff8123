import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from './source-tree.ts';

const run = promisify(execFile);
const cache = join(root, '.cache', 'npm-packages');

export type PinnedPackage = { name: string; version: string; integrity: string };

/** The folder of an npm package of which tests need the files; fetched into `.cache` at the first call. Rejects with what npm says. */
export async function npmPackage({ name, version, integrity }: PinnedPackage): Promise<string> {
  const folder = join(cache, `${name.replace(/\W+/g, '-')}-${version}`);
  if (existsSync(folder)) return folder;
  await mkdir(cache, { recursive: true });
  const draft = await mkdtemp(join(cache, 'draft-'));
  try {
    const flags = ['--ignore-scripts', '--silent', '--pack-destination', draft];
    const { stdout } = await run('npm', ['pack', `${name}@${version}`, ...flags], { timeout: 300_000 });
    const archive = join(draft, stdout.trim());
    const found = `sha512-${createHash('sha512')
      .update(await readFile(archive))
      .digest('base64')}`;
    if (found !== integrity) throw new Error(`${name}@${version} is not the pinned package but ${found}`);
    await run('tar', ['-xzf', archive, '-C', draft]);
    // Of several that fetch at once the first one wins.
    await rename(join(draft, 'package'), folder).catch((error: unknown) => {
      if (!existsSync(folder)) throw error;
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  return folder;
}
