import { type ChildProcess, fork } from 'node:child_process';
import path from 'node:path';

/** A benchmark server in a process of its own, as the program has one. */
export type BenchServer = { port: number; child: ChildProcess; stop: () => Promise<void> };

/** Forks a server script of this folder and waits until it tells its port. */
export async function startBenchServer(script: string, args: string[] = []): Promise<BenchServer> {
  const child = fork(path.join(import.meta.dirname, script), args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const port = await new Promise<number>((resolve, reject) => {
    child.once('message', (message) => resolve((message as { port: number }).port));
    child.once('exit', (code) => reject(new Error(`${script} ended with code ${code} before it listened`)));
  });
  return {
    port,
    child,
    stop: () =>
      new Promise((resolve) => {
        child.once('exit', () => resolve());
        child.disconnect();
      }),
  };
}
