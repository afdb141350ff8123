import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { OperatorError } from '#kernel';
import { startProcess } from '#processes';

type TrainerPythonOptions = {
  environment: Readonly<Record<string, string>>;
  signal: AbortSignal;
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

/** What the script prints. Throws `OperatorError` where it fails. */
async function* runSetup({ environment, signal, script, venv }: Setup): AsyncGenerator<string> {
  const lines = new PassThrough({ objectMode: true });
  const child = startProcess('/bin/sh', {
    args: [script],
    env: { ...environment, FANFOLD_VENV: venv },
    leadsGroup: true,
    output: (line, stream) => void (stream === 'stdout' && lines.write(line)),
  });
  const stop = () => child.killGroup();
  signal.addEventListener('abort', stop, { once: true });
  void child.exited.then(() => lines.end());
  try {
    yield* lines;
    const { code, tail } = await child.exited;
    signal.throwIfAborted();
    if (code !== 0) throw new OperatorError(complaint(tail));
  } finally {
    signal.removeEventListener('abort', stop);
    stop();
  }
}

/** The last line says what is wrong; those before it, how it came. */
function complaint(text: string): string {
  const last = text.trim().split('\n').at(-1)?.trim() ?? '';
  return `The Python environment of the trainer cannot be made: ${last === '' ? 'its script failed.' : last}`;
}
