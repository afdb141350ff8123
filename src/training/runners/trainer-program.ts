import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Program } from './local-attempt.ts';
import type { Run } from './runner.ts';
import { trainerPython } from './trainer-python.ts';

export type TrainerProgramOptions = {
  /** The server's environment. Trainers get only names like PATH and CUDA_VISIBLE_DEVICES of it, never secrets. */
  environment: Readonly<Record<string, string | undefined>>;
  /** An interpreter that has everything; null: the one that `trainer/setup.sh` makes. */
  python: string | null;
  /** null: half of what the machine has. */
  threads: number | null;
};

/** Names of variables that trainers get from the server's environment; everything else (keys, database URL) stays out. */
const passedOn = /^(PATH|HOME|LANG|LC_\w+|TZ|TMPDIR|LD_LIBRARY_PATH|PYTORCH_\w+|(CUDA|NVIDIA|NCCL|HIP|ROCR|HSA)_\w+)$/;

/** What `pip` needs beside them to reach an index. */
const forInstalling =
  /^(PYTHON|PIP_\w+|TORCH_INDEX_URL|(https?|all|no)_proxy|SSL_CERT_(FILE|DIR)|(REQUESTS|CURL)_CA_BUNDLE)$/i;

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

/** The folder of the trainer's package. */
export function trainerFolder(): string {
  return fileURLToPath(new URL('../../../trainer', import.meta.url));
}

/** The trainer of this checkout; makes its Python first where that is missing. */
export function trainerProgram({ environment, python, threads }: TrainerProgramOptions) {
  return async function* program(run: Run, signal: AbortSignal): AsyncGenerator<string, Program> {
    const file = python ?? (yield* trainerPython({ environment: passed(environment, forInstalling), signal }));
    return {
      file,
      args: ['-u', '-m', 'fanfold_trainer.lora.train', '--spec', join(run.specFolder, 'spec.json')],
      cwd: run.specFolder,
      env: {
        ...passed(environment),
        ...fixedEnvironment,
        // Half of the processors stay with what is served from here.
        OMP_NUM_THREADS: String(threads ?? Math.max(1, Math.floor(availableParallelism() / 2))),
        PYTHONPATH: trainerFolder(),
      },
    };
  };
}

function passed(environment: TrainerProgramOptions['environment'], also: RegExp | null = null): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) =>
      value !== undefined && (passedOn.test(name) || also?.test(name)) ? [[name, value]] : [],
    ),
  );
}
