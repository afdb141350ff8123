import { spawnSync } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** The programs, in the versions that were tried. */
export const versions = {
  '@openai/codex': '0.171.0',
  '@anthropic-ai/claude-code': '2.1.332',
  'opencode-ai': '1.18.33',
  cline: '3.0.65',
  '@qwen-code/qwen-code': '0.24.4',
};

const folder = path.join(import.meta.dirname, '../../.cache/clients');

/** Installs the programs in a folder of their own, unless they are there; the folder of their commands. */
export async function installClients(): Promise<string> {
  const allowScripts = Object.fromEntries(Object.keys(versions).map((name) => [name, true]));
  const manifest = JSON.stringify({ private: true, dependencies: versions, allowScripts }, null, 2);
  const file = path.join(folder, 'package.json');
  const done = path.join(folder, 'installed.json');
  if ((await readFile(done, 'utf8').catch(() => null)) !== manifest) {
    await mkdir(folder, { recursive: true });
    await writeFile(file, manifest);
    console.log('The programs are being installed, about a gigabyte.');
    const { status, stderr } = spawnSync('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error'], {
      cwd: folder,
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`npm install failed: ${stderr}`);
    await writeFile(done, manifest);
  }
  return path.join(folder, 'node_modules/.bin');
}
