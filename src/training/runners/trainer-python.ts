import { spawn } from 'node:child_process';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { OperatorError } from '#kernel';
import { signalGroup } from './process-group.ts';

export type TrainerPythonOptions = {
  environment: Readonly<Record<string, string>>;
  signal: AbortSignal;
  /** Replaces `trainer/setup.sh` and the folder where it makes the environment. */
  setup?: { script: string; venv: string };
};

const checkout = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url));

/**
 * The interpreter of the trainer, with exactly what `trainer/requirements.txt` says. The script makes it where it is
 * missing or old, and says what it does; several that ask at once wait for each other.
 */
export async function* trainerPython(options: TrainerPythonOptions): AsyncGenerator<string, string> {
  const { script, venv } = options.setup ?? { script: checkout('trainer/setup.sh'), venv: checkout('.venv') };
  options.signal.throwIfAborted();
  yield* runSetup({ ...options, script, venv });
  const python = join(venv, 'bin', 'python');
  await access(python);
  return python;
}

type Setup = Pick<TrainerPythonOptions, 'environment' | 'signal'> & { script: string; venv: string };

/** What the script says. Throws `OperatorError` where it fails. */
async function* runSetup({ environment, signal, script, venv }: Setup): AsyncGenerator<string> {
  const child = spawn('/bin/sh', [script], {
    env: { ...environment, FANFOLD_VENV: venv },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const stop = () => signalGroup(child.pid ?? 0, 'SIGKILL');
  signal.addEventListener('abort', stop, { once: true });
  const complaints: string[] = [];
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaints.push(text);
    complaints.splice(0, complaints.length - 100);
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  try {
    for await (const line of createInterface({ input: child.stdout })) yield line;
    const code = await ended;
    signal.throwIfAborted();
    if (code !== 0) throw new OperatorError(complaint(complaints.join('')));
  } finally {
    signal.removeEventListener('abort', stop);
    stop();
    // A start that failed is told by now, or nobody is left to be told.
    ended.catch(() => {});
  }
}

/** The last line says what is wrong; those before it, how it came. */
function complaint(text: string): string {
  const last = text.trim().split('\n').at(-1)?.trim() ?? '';
  return `The Python environment of the trainer cannot be made: ${last === '' ? 'its script failed.' : last}`;
}
