import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { childEnvironment, type NodeProcessOptions, type ProcessEnvironment } from '#processes';
import { libraryPath } from '../gpu/library-folders.ts';

export type EngineLog = (
  level: 'debug' | 'info' | 'warn' | 'error',
  message: string,
  fields: Record<string, unknown>,
) => void;

export type EngineProcessOptions = {
  script: string;
  environment: ProcessEnvironment;
  name: string;
  log: EngineLog;
  /** Half of what its young objects may take, MB: more where many of them come and go. */
  youngMb?: number | undefined;
  /** What its old objects may take, MB; more ends it. */
  oldMb?: number;
  /** Models come first where processors are few. */
  hasLowPriority?: boolean;
  /** Folders with shared libraries that the system does not find by itself. */
  libraryFolders?: readonly string[] | undefined;
};

/** The child's own JavaScript is small; with what Node takes its idle heap takes about 17 MB more. */
const smallYoungMb = 2;

/**
 * llama.cpp divides texts with regular expressions that call themselves for every letter of a word, at up to 400 bytes each: this is
 * enough for two million letters. What is not used takes no memory.
 */
export const stackKb = 1_048_576;

export function engineProcess(options: EngineProcessOptions): NodeProcessOptions {
  const { script, environment, name, log, youngMb = smallYoungMb, oldMb, hasLowPriority = false } = options;
  const { libraryFolders = [] } = options;
  const env = childEnvironment(environment, 'node', 'accelerators');
  if (libraryFolders.length > 0) env['LD_LIBRARY_PATH'] = libraryPath(env['LD_LIBRARY_PATH'], libraryFolders);
  return {
    script,
    // One pool thread keeps native calls in the order they were made; the child counts on it (`text-runner.ts`).
    env: { ...env, UV_THREADPOOL_SIZE: '1' },
    nodeFlags: [
      `--max-semi-space-size=${youngMb}`,
      ...(oldMb === undefined ? [] : [`--max-old-space-size=${oldMb}`]),
      '--v8-pool-size=1',
    ],
    stackKb,
    hasLowPriority,
    onLine: (line) => log('debug', line, { model: name }),
  };
}

/**
 * Threads for the engine on a machine that also runs the server and PostgreSQL: one physical core stays free. llama.cpp's
 * threads spin, and hyper-threads add nothing to them.
 */
export function defaultThreads(): number {
  return Math.max(1, Math.min(availableParallelism(), physicalCores()) - 1);
}

function physicalCores(): number {
  let text: string;
  try {
    text = readFileSync('/proc/cpuinfo', 'utf8');
  } catch {
    return Infinity;
  }
  return countCores(text) || Infinity;
}

/** Distinct (package, core) pairs of a Linux cpuinfo; 0 when it names none (ARM). */
export function countCores(cpuinfo: string): number {
  const cores = new Set<string>();
  let packageId = '';
  for (const line of cpuinfo.split('\n')) {
    const [name, value] = line.split(':');
    if (name?.trim() === 'physical id') packageId = value?.trim() ?? '';
    if (name?.trim() === 'core id') cores.add(`${packageId}/${value?.trim()}`);
  }
  return cores.size;
}
