import { isAbsolute } from 'node:path';
import type { RunnerValues } from '#training';
import { httpAddress, number, type SettingsOf, words } from './setting.ts';

const runners = ['local', 'ray'] as const;
const path = (text: string) => (isAbsolute(text) ? text : undefined);

export const trainingSettings: SettingsOf<RunnerValues> = {
  trainingRunner: {
    env: 'FANFOLD_TRAINING_RUNNER',
    fallback: 'local',
    expected: `one of ${runners.join(', ')}`,
    read: (text: string) => runners.find((runner) => runner === text),
  },
  trainingPython: { env: 'FANFOLD_TRAINING_PYTHON', fallback: null, expected: 'a Python interpreter', read: words },
  trainingThreads: {
    env: 'FANFOLD_TRAINING_THREADS',
    fallback: null,
    expected: 'a number of threads, 1 to 256',
    read: number(1, 256),
  },
  rayUrl: {
    env: 'FANFOLD_RAY_URL',
    fallback: null,
    expected: 'the address of the dashboard of a Ray cluster, such as http://ray.internal:8265',
    read: (text: string) => httpAddress(text)?.replace(/\/+$/, ''),
  },
  rayToken: { env: 'FANFOLD_RAY_TOKEN', fallback: null, expected: 'a token', read: words },
  rayTokenFile: { env: 'FANFOLD_RAY_TOKEN_FILE', fallback: null, expected: 'a file', read: words },
  rayFolder: { env: 'FANFOLD_RAY_FOLDER', fallback: null, expected: 'an absolute path', read: path },
  rayWorkerFolder: { env: 'FANFOLD_RAY_WORKER_FOLDER', fallback: null, expected: 'an absolute path', read: path },
  rayCpus: { env: 'FANFOLD_RAY_CPUS', fallback: 4, expected: 'a number of cores, 1 to 1024', read: number(1, 1024) },
  rayGpus: { env: 'FANFOLD_RAY_GPUS', fallback: 0, expected: 'a number of GPUs, 0 to 64', read: number(0, 64) },
  rayPendingMs: {
    env: 'FANFOLD_RAY_PENDING_MINUTES',
    fallback: 15 * 60_000,
    expected: 'minutes, 1 to 10000',
    read: number(1, 10_000, 60_000),
  },
};
