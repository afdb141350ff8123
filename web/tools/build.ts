/** `node web/tools/build.ts FOLDER`: builds the web app into a folder that appears when it is complete. */
import { mkdir, readdir, readFile, rename, rm, rmdir, stat, utimes, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { build } from 'vite';
import { viteSettings } from './vite-settings.ts';

const [folder = ''] = process.argv.slice(2);
/** Other processes wait for a running build. A build without a heartbeat for this long is taken for dead. */
const aliveMs = 2_000;
const staleMs = 120_000;
/** Older builds that stay, for other checkouts. */
const retainedBuilds = 3;
const buildName = /^[0-9a-f]{20}$/;

await mkdir(dirname(folder), { recursive: true });
await using claim = await claimBuild();
if (claim.isOurs && !(await exists(folder))) {
  const draft = `${folder}.draft-${process.pid}`;
  try {
    await build({ ...viteSettings(), build: { ...viteSettings().build, outDir: draft, emptyOutDir: true } });
    await compressAll(join(draft, 'assets'));
    await rename(draft, folder).catch(async (error: unknown) => {
      // A process that took this one for dead made the same build.
      if (!(await exists(folder))) throw error;
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  await removeOldBuilds();
}

/** One process builds; the others wait. */
async function claimBuild() {
  const lock = `${folder}.lock`;
  while (!(await exists(folder))) {
    try {
      await mkdir(lock);
      const alive = setInterval(() => void utimes(lock, new Date(), new Date()).catch(() => {}), aliveMs);
      return {
        isOurs: true,
        [Symbol.asyncDispose]: async () => {
          clearInterval(alive);
          await rmdir(lock).catch(() => {});
        },
      };
    } catch {
      const age = await stat(lock).then(
        ({ mtimeMs }) => Date.now() - mtimeMs,
        () => 0,
      );
      if (age > staleMs) await rmdir(lock).catch(() => {});
      await sleep(200);
    }
  }
  return { isOurs: false, [Symbol.asyncDispose]: async () => {} };
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

async function compressAll(assets: string): Promise<void> {
  const names = (await readdir(assets)).filter((name) => /\.(js|css|svg|json)$/.test(name));
  await Promise.all(
    names.map(async (name) => {
      const content = await readFile(join(assets, name));
      if (content.length < 1024) return;
      const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } };
      await writeFile(join(assets, `${name}.br`), await promisify(brotliCompress)(content, quality));
      await writeFile(join(assets, `${name}.gz`), await promisify(gzip)(content, { level: 9 }));
    }),
  );
}

async function removeOldBuilds(): Promise<void> {
  const directory = dirname(folder);
  // Only folders named like builds are removed.
  const names = (await readdir(directory)).filter((name) => name !== basename(folder) && buildName.test(name));
  const dated = await Promise.all(
    names.map(async (name) => ({ name, at: await stat(join(directory, name)).then(({ mtimeMs }) => mtimeMs) })),
  );
  const old = dated.toSorted((one, other) => other.at - one.at).slice(retainedBuilds);
  await Promise.all(old.map(({ name }) => rm(join(directory, name), { recursive: true, force: true })));
}
