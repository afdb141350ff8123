import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from './source-tree.ts';

const run = promisify(execFile);

/** A program of the project's Python environment, which is made first when it is not there. */
export async function pythonProgram(name: string): Promise<string> {
  await run('sh', [join(root, 'trainer/setup.sh'), '--dev'], { maxBuffer: 16_777_216 });
  return join(process.env.FANFOLD_VENV ?? join(root, '.venv'), 'bin', name);
}
