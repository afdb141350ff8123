import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { TestAppOptions } from './app.ts';

/** The wired program in a process of its own, so that its memory and its stalls can be measured. */
export type ServerProcess = {
  /** `http://127.0.0.1:<port>` */
  origin: string;
  pid: number;
  /** Ends it in order; the longest time that it kept its event loop busy, ms, and its exit code. */
  stop: () => Promise<{ stallMs: number; exitCode: number }>;
  /** For a test that failed before `stop`. */
  kill: () => void;
};

const program = fileURLToPath(new URL('./server-program.ts', import.meta.url));

export async function startServerProcess(databaseUrl: string, options: TestAppOptions = {}): Promise<ServerProcess> {
  const child = spawn(process.execPath, [program, databaseUrl, JSON.stringify(options)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const origin = String((await lines.next()).value);
  return {
    origin,
    pid: child.pid ?? 0,
    stop: async () => {
      child.stdin.end();
      const [stall, [exitCode]] = await Promise.all([lines.next(), once(child, 'exit')]);
      return { stallMs: Number(stall.value), exitCode: Number(exitCode) };
    },
    kill: () => void child.kill('SIGKILL'),
  };
}
