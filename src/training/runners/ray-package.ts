import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { ZipFile } from 'yazl';
import type { RayClient } from './ray-client.ts';

/** What a trainer is made of; no caches, no tests. */
const wanted = /\.(py|jinja)$/;
/** Nothing in the archive depends on when or where it is made. */
const untimed = { mtime: new Date(1980, 0, 1), mode: 0o100644, compress: false, forceDosTimestamp: true };

/** Makes sure that Ray has the trainer of this version, and returns its address. Equal files have one address. */
export async function uploadPackage(client: RayClient, folder: string): Promise<string> {
  const names = (await readdir(folder, { recursive: true })).filter((name) => wanted.test(name)).sort();
  const zip = new ZipFile();
  for (const name of names) zip.addBuffer(await readFile(join(folder, name)), name, untimed);
  zip.end();
  const bytes = await buffer(zip.outputStream);
  const name = `_ray_pkg_${createHash('sha256').update(bytes).digest('hex').slice(0, 32)}.zip`;
  if (!(await client.hasPackage(name))) await client.putPackage(name, bytes);
  return `gcs://${name}`;
}
