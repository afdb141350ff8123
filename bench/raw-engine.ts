import { fork } from 'node:child_process';
import path from 'node:path';
import type { RawJob, RawResult } from './raw-decode.ts';

export type RawEngine = { run: (job: RawJob) => Promise<number>; stop: () => void };

/** Starts `raw-decode.ts` on a model, under the conditions of an engine child. */
export async function startRawEngine(options: {
  gguf: string;
  kind: 'text' | 'embedding';
  threads: number;
}): Promise<RawEngine> {
  const script = path.join(import.meta.dirname, 'raw-decode.ts');
  const child = fork(script, [options.gguf, options.kind, String(options.threads)], {
    env: { ...process.env, UV_THREADPOOL_SIZE: '1' },
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
