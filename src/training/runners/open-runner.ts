import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { OperatorError, secretIn } from '#kernel';
import { createLocalRunner } from './local-runner.ts';
import { createRayRunner } from './ray-runner.ts';
import type { Runner } from './runner.ts';
import { trainerProgram } from './trainer-program.ts';

export type RunnerValues = {
  trainingRunner: 'local' | 'ray';
  /** null: the interpreter that `trainer/setup.sh` makes; on Ray `python3` of the workers. */
  trainingPython: string | null;
  trainingThreads: number | null;
  rayUrl: string | null;
  rayToken: string | null;
  rayTokenFile: string | null;
  /** Folder that this machine and the workers share. */
  rayFolder: string | null;
  rayWorkerFolder: string | null;
  rayCpus: number;
  rayGpus: number;
  rayPendingMs: number;
};

type Options = RunnerValues & { environment: Readonly<Record<string, string | undefined>> };

/**
 * Throws an `OperatorError` where a setting lacks, or names what is not there.
 *
 * @param works false: trainers are started by other processes, perhaps on other machines.
 */
export function openRunner(options: Options, works = true): Runner {
  if (options.trainingRunner === 'ray') return openRay(options);
  const { environment, trainingThreads: threads } = options;
  const python = works ? interpreterOf(options.trainingPython) : options.trainingPython;
  return createLocalRunner({ program: trainerProgram({ environment, python, threads }) });
}

/** Trainers start in folders of their own, so a path is made whole; a mere name is looked up when they start. */
function interpreterOf(named: string | null): string | null {
  if (!named?.includes('/')) return named;
  const path = resolve(named);
  if (existsSync(path)) return path;
  throw new OperatorError(`FANFOLD_TRAINING_PYTHON must be a Python interpreter; there is no ${path}.`);
}

const readText = (file: string) => readFileSync(file, 'utf8');

function openRay(options: Options): Runner {
  const { rayUrl: url, rayFolder: here, rayWorkerFolder, trainingPython } = options;
  if (url === null || here === null)
    throw new OperatorError('FANFOLD_TRAINING_RUNNER=ray needs FANFOLD_RAY_URL and FANFOLD_RAY_FOLDER.');
  return createRayRunner({
    url: url.replace(/\/+$/, ''),
    token: options.rayToken ?? secretIn(options.rayTokenFile, 'FANFOLD_RAY_TOKEN_FILE', readText),
    shared: { here, there: rayWorkerFolder ?? here },
    cpus: options.rayCpus,
    gpus: options.rayGpus,
    pendingMs: options.rayPendingMs,
    python: trainingPython ?? 'python3',
  });
}
