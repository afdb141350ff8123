import { access } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { OperatorError } from '#kernel';
import { childEnvironment, type ProcessEnvironment, startProcess } from '#processes';
import type { TrainerCommand } from './local-attempt.ts';
import type { TrainerStart } from './runner.ts';

type TrainerProgramOptions = {
  /** The server's environment. Trainers get only names like PATH and CUDA_VISIBLE_DEVICES of it, never secrets. */
  environment: ProcessEnvironment;
  /** An interpreter that has everything; null: the one that `trainer/setup.sh` makes. */
  python: string | null;
  threads: number | null;
};

/** Nothing is fetched, reported or left to chance. */
export const fixedEnvironment = {
  HF_HUB_OFFLINE: '1',
  TRANSFORMERS_OFFLINE: '1',
  HF_HUB_DISABLE_TELEMETRY: '1',
  TOKENIZERS_PARALLELISM: 'false',
  PYTHONHASHSEED: '0',
  PYTHONUNBUFFERED: '1',
  PYTHONDONTWRITEBYTECODE: '1',
};

export function trainerFolder(): string {
  return fileURLToPath(new URL('../../../trainer', import.meta.url));
}

/** The trainer of this checkout; makes its Python first where that is missing. */
export function trainerProgram({ environment, python, threads }: TrainerProgramOptions) {
  return async function* program(run: TrainerStart, signal: AbortSignal): AsyncGenerator<string, TrainerCommand> {
    const file = python ?? (yield* trainerPython({ environment: childEnvironment(environment, 'pip'), signal }));
    return {
      file,
      args: ['-u', '-m', 'fanfold_trainer.lora.train', '--spec', join(run.specFolder, 'spec.json')],
      cwd: run.specFolder,
      env: {
        ...childEnvironment(environment, 'accelerators'),
        ...fixedEnvironment,
        // Half of the processors stay with what is served from here.
        OMP_NUM_THREADS: String(threads ?? Math.max(1, Math.floor(availableParallelism() / 2))),
        PYTHONPATH: trainerFolder(),
      },
    };
  };
}

type TrainerPythonOptions = {
  environment: Readonly<Record<string, string>>;
  signal: AbortSignal;
  setup?: { script: string; venv: string };
};

const ownVenv = '.venv';

/** Folder of the Python environment that jobs run in; null: the interpreter is one of the system. */
export function pythonFolder(python: string | null): string | null {
  if (python === null) return checkout(ownVenv);
  return isAbsolute(python) ? dirname(dirname(python)) : null;
}

const checkout = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url));

/**
 * The interpreter of the trainer, with exactly what `trainer/requirements.txt` says. The script makes it where it is
 * missing or old, and says what it does; several that ask at once wait for each other.
 */
export async function* trainerPython(options: TrainerPythonOptions): AsyncGenerator<string, string> {
  const { script, venv } = options.setup ?? { script: checkout('trainer/setup.sh'), venv: checkout(ownVenv) };
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
