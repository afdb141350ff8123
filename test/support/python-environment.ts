import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from './source-tree.ts';

const run = promisify(execFile);
const script = join(root, 'test/support/make_environment.py');

/**
 * A Python environment of the tests' own, in `.cache`, made when it is not there; test files that ask at once wait for each other.
 * Resolves with its `bin` folder; rejects with what pip says.
 */
export async function pythonEnvironment(name: string, requirements: string, ...pipOptions: string[]): Promise<string> {
  const folder = join(root, '.cache', name);
  await run('python3', [script, folder, requirements, ...pipOptions], { maxBuffer: 16_777_216 });
  return join(folder, 'bin');
}
