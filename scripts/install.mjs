/**
 * Installs what is missing and prints the path of the Node to run this checkout with. Plain JavaScript: it runs on
 * whatever Node (18 or newer) the machine has. Everything but that path goes to stderr.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const neededMajor = 24;

function readPackages(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages;
  } catch {
    return {};
  }
}

/**
 * npm notes in node_modules what it installed, at the end of an installation. Compared with the lock file, that tells
 * also of an installation that was interrupted, or made before an update of the checkout. Optional packages may be absent: most
 * are for other platforms.
 */
function isInstalled() {
  const installed = readPackages(join(root, 'node_modules', '.package-lock.json'));
  return Object.entries(readPackages(join(root, 'package-lock.json'))).every(([path, { version, optional }]) => {
    const found = installed[path];
    return path === '' || (found ? found.version === version : optional === true);
  });
}

function install() {
  process.stderr.write('Installing packages (npm ci) ...\n');
  const npm = process.env.npm_execpath ?? '';
  const [command, first] = basename(npm) === 'npm-cli.js' ? [process.execPath, [npm]] : ['npm', []];
  // The lock file pins every package. `npm run -s` must not silence what goes wrong.
  const flags = ['ci', '--include=dev', '--include=optional', '--no-audit', '--no-fund', '--loglevel=error'];
  // A configuration that leaves development packages out would make them look missing at every start.
  const { status, error } = spawnSync(command, [...first, ...flags], { cwd: root, stdio: ['ignore', 2, 2] });
  if (status === 0) return;
  fail(`The packages could not be installed${error ? ` (${error.message})` : ''}; run "npm ci" to see why.`);
}

function findNode() {
  const pinned = join(root, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin', 'node');
  if (existsSync(pinned) && spawnSync(pinned, ['--version']).status === 0) return pinned;
  if (Number.parseInt(process.versions.node, 10) >= neededMajor) return process.execPath;
  return fail(
    `Fanfold needs Node ${neededMajor} or newer, this is ${process.versions.node}, and there is no packaged one for ` +
      `${process.platform}-${process.arch}. Install Node ${neededMajor} and try again.`,
  );
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

if (!isInstalled()) install();
process.stdout.write(`${findNode()}\n`);
