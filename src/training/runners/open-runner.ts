import { readFileSync } from 'node:fs';
import { OperatorError, secretIn } from '#kernel';
import { createLocalRunner } from './local-runner.ts';
import { createRayRunner } from './ray-runner.ts';
import type { Runner } from './runner.ts';
import { trainerProgram } from './trainer-program.ts';

/** Where attempts run, as the operator says. */
export type RunnerValues = {
  trainingRunner: 'local' | 'ray';
  /** null: the interpreter that `trainer/setup.sh` makes; on Ray `python3` of the workers. */
  trainingPython: string | null;
  /** null: half of what the machine has. */
  trainingThreads: number | null;
  /** null: there is no cluster. */
  rayUrl: string | null;
  rayToken: string | null;
  /** File that holds the token, instead. */
  rayTokenFile: string | null;
  /** Folder that this machine and the workers share. */
  rayFolder: string | null;
  /** Its path on the workers; null: the same. */
  rayWorkerFolder: string | null;
  rayCpus: number;
  rayGpus: number;
  rayPendingMs: number;
};

type Options = RunnerValues & { environment: Readonly<Record<string, string | undefined>> };

/** Throws an `OperatorError` where a setting lacks. */
export function openRunner(options: Options): Runner {
  const { environment, trainingPython: python, trainingThreads: threads } = options;
  if (options.trainingRunner === 'ray') return openRay(options);
  return createLocalRunner({ program: trainerProgram({ environment, python, threads }) });
}

const readText = (file: string) => readFileSync(file, 'utf8');

function openRay(options: Options): Runner {
  const { rayUrl: url, rayFolder: here, rayWorkerFolder, trainingPython } = options;
  if (url === null || here === null)
    throw new OperatorError('FANFOLD_TRAINING_RUNNER=ray needs FANFOLD_RAY_URL and FANFOLD_RAY_FOLDER.');
  return createRayRunner({
    url,
    token: options.rayToken ?? secretIn(options.rayTokenFile, 'FANFOLD_RAY_TOKEN_FILE', readText),
    shared: { here, there: rayWorkerFolder ?? here },
    cpus: options.rayCpus,
    gpus: options.rayGpus,
    pendingMs: options.rayPendingMs,
    python: trainingPython ?? 'python3',
  });
}
