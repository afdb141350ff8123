import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { systemCodeOf } from '#kernel';

const run = promisify(execFile);

/** Whether a process still runs; `word` is in its command line, because process numbers are used again. */
export async function isProcessRunning(pid: number, word: string): Promise<boolean> {
  if (pid <= 1) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (systemCodeOf(error) !== 'EPERM') return false;
  }
  return (await commandLineOf(pid)).includes(word);
}

async function commandLineOf(pid: number): Promise<string> {
  try {
    return await readFile(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    if (process.platform === 'linux') return '';
  }
  return run('ps', ['-o', 'command=', '-p', String(pid)]).then(
    ({ stdout }) => stdout,
    () => '',
  );
}

/** Signals a whole process group; one that is gone needs no signal. */
export function signalGroup(pid: number, signal: NodeJS.Signals): void {
  if (pid <= 1) return;
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if (!['ESRCH', 'EPERM'].includes(systemCodeOf(error) ?? '')) throw error;
  }
}
