import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { packFiles } from '../adapters/pack-adapter.ts';
import type { RayClient } from './ray-client.ts';

/** What a trainer is made of; no caches, no tests. */
const wanted = /\.(py|jinja)$/;

/** Makes sure that Ray has the trainer of this version, and returns its address. Equal files have one address. */
export async function uploadPackage(client: RayClient, folder: string): Promise<string> {
  const names = (await readdir(folder, { recursive: true })).filter((name) => wanted.test(name)).sort();
  const files = await Promise.all(
    names.map(async (name) => {
      const path = join(folder, name);
      return { name, sizeBytes: (await stat(path)).size, open: async () => createReadStream(path) };
    }),
  );
  const zip = await buffer(packFiles(files));
  const name = `_ray_pkg_${createHash('sha256').update(zip).digest('hex').slice(0, 32)}.zip`;
  if (!(await client.hasPackage(name))) await client.putPackage(name, zip);
  return `gcs://${name}`;
}
