import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { childEnvironment, type ProcessEnvironment } from '#processes';
import type { TrainerCommand } from './local-attempt.ts';
import type { TrainerStart } from './runner.ts';
import { trainerPython } from './trainer-python.ts';

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
