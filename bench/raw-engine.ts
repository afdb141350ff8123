import { fork } from 'node:child_process';
import path from 'node:path';
import type { GpuTarget } from '../src/engine/gpu/backends.ts';
import { libraryPath } from '../src/engine/gpu/library-folders.ts';
import type { RawJob, RawResult } from './raw-decode.ts';

export type RawEngine = { run: (job: RawJob) => Promise<number>; stop: () => void };

/** Starts `raw-decode.ts` on a model, under the conditions of an engine child. */
export async function startRawEngine(options: {
  gguf: string;
  kind: 'text' | 'embedding';
  threads: number;
  /** Of text, that may be decoded at once; left out: 8. */
  sequences?: number;
  gpu?: GpuTarget | undefined;
}): Promise<RawEngine> {
  const { gguf, kind, threads, sequences = 8, gpu } = options;
  const script = path.join(import.meta.dirname, 'raw-decode.ts');
  const env = { ...process.env, UV_THREADPOOL_SIZE: '1' };
  if (gpu) Object.assign(env, { LD_LIBRARY_PATH: libraryPath(process.env['LD_LIBRARY_PATH'], gpu.libraryFolders) });
  const child = fork(script, [gguf, kind, String(threads), String(sequences), JSON.stringify(gpu ?? false)], {
    env,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  // as: the child sends these only.
  const next = () =>
    new Promise<RawResult>((resolve) => child.once('message', (message) => resolve(message as RawResult)));
  await next();
  return {
    async run(job) {
      const result = next();
      child.send(job);
      return (await result).value;
    },
    stop: () => void child.kill('SIGKILL'),
  };
}
