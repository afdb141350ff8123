import { randomBytes } from 'node:crypto';
import { existsSync, type Stats } from 'node:fs';
import { chown, link, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { OperatorError, systemCodeOf } from '#kernel';
import { prepareDataFolder } from './data-folder.ts';
import type { SystemUser } from './embedded-binaries.ts';

/**
 * The folder of the embedded server, `<data folder>/postgres`:
 *   password    of the database user, readable by the user of this process only
 *   cluster/    PostgreSQL's own data folder
 *   server.log  what PostgreSQL says
 */
export type Home = {
  folder: string;
  identity: SystemUser;
  password: string;
  /** The folder as PostgreSQL names it when it has the open folder as file descriptor 3. */
  nameInside: string;
};

/** Makes the folder when needed, decides who runs PostgreSQL, and reads or makes the password. */
export async function openHome(dataDir: string): Promise<Home> {
  const folder = join(dataDir, 'postgres');
  await prepareDataFolder(dataDir);
  await prepareDataFolder(folder);
  const identity = await chooseIdentity(await ownerOf(folder));
  if (identity) await chown(folder, identity.uid, identity.gid);
  return { folder, identity, password: await readPassword(folder), nameInside: nameInside(folder, identity) };
}

/** The home as it is, without making anything; null when there is none yet. */
export async function findHome(dataDir: string): Promise<{ folder: string; password: string } | null> {
  const folder = join(dataDir, 'postgres');
  try {
    return { folder, password: await readFile(join(folder, 'password'), 'utf8') };
  } catch {
    return null;
  }
}

async function ownerOf(folder: string): Promise<Stats> {
  const cluster = join(folder, 'cluster');
  return stat(cluster).catch(() => stat(folder));
}

/** PostgreSQL refuses to run as root. A folder that an ordinary user made keeps its owner. */
async function chooseIdentity(owner: Stats): Promise<SystemUser> {
  const self = process.getuid?.() ?? -1;
  if (self !== 0) {
    if (owner.uid === self) return null;
    throw new OperatorError('The data folder belongs to another user; run as that user or choose another folder.');
  }
  const users = await readUsers();
  const chosen =
    owner.uid === 0
      ? ['fanfold', 'postgres', 'nobody'].map((name) => users.find((user) => user.name === name)).find(Boolean)
      : users.find((user) => user.uid === owner.uid);
  if (chosen) return chosen;
  throw new OperatorError('PostgreSQL does not run as root and there is no user "fanfold", "postgres" or "nobody".');
}

async function readUsers(): Promise<{ name: string; uid: number; gid: number }[]> {
  const lines = (await readFile('/etc/passwd', 'utf8')).split('\n');
  return lines.map((line) => {
    const [name = '', , uid, gid] = line.split(':');
    return { name, uid: Number(uid), gid: Number(gid) };
  });
}

/**
 * Another user may be unable to walk down to the folder (a checkout under /root), but whoever inherits the open folder
 * can name it through /proc. Parents stay as closed as they are.
 */
function nameInside(folder: string, identity: SystemUser): string {
  return identity && existsSync('/proc/self/fd') ? '/proc/self/fd/3' : folder;
}

async function readPassword(folder: string): Promise<string> {
  const file = join(folder, 'password');
  // One that is there is only read: commands must work on a full disk, too, if only to say so.
  if (!existsSync(file)) await makePassword(file);
  return readFile(file, 'utf8');
}

async function makePassword(file: string): Promise<void> {
  const fresh = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    await writeFile(fresh, randomBytes(24).toString('hex'), { mode: 0o600, flush: true });
    // Of two processes that start at once one makes the password, whole, and both use it.
    await link(fresh, file);
  } catch (error) {
    if (systemCodeOf(error) !== 'EEXIST') throw error;
  } finally {
    await rm(fresh, { force: true });
  }
}
