import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { OperatorError, systemCodeOf } from '#kernel';
import { type AgentProgram, keyReference, type LaunchSettings } from './agent-program.ts';

export type Running = {
  env: NodeJS.ProcessEnv;
  /** undefined: this one. */
  cwd: string | undefined;
  /** Stands for `keyReference`. */
  key: string;
};

/** Runs the program in the user's terminal, with the settings and then the user's own arguments; resolves to its exit code. */
export function runProgram(
  { command, title, npmPackage }: AgentProgram,
  { env, args }: Pick<LaunchSettings, 'env' | 'args'>,
  { env: outer, cwd, key }: Running,
): Promise<number> {
  const filled = (value: string) => (value === keyReference ? key : value);
  const own = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, filled(value)]));
  // On Windows, npm's commands are scripts of the shell.
  const child = spawn(command, args.map(filled), {
    env: { ...outer, ...own },
    ...(cwd === undefined ? {} : { cwd }),
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  // The terminal sends Ctrl-C to the program as well, which knows what to do.
  const ignore = () => {};
  const end = () => void child.kill('SIGTERM');
  process.on('SIGINT', ignore).on('SIGTERM', end).on('SIGHUP', end);
  const over = new Promise<number>((resolve, reject) => {
    child.once('error', (cause) => reject(notStarted(cause)));
    child.once('exit', (code, signal) => resolve(code ?? 128 + (signal ? constants.signals[signal] : 0)));
  });
  const notStarted = (cause: Error) =>
    systemCodeOf(cause) === 'ENOENT'
      ? new OperatorError(`${title} is not installed. Install it with: npm install -g ${npmPackage}`, { cause })
      : new OperatorError(`${title} cannot be started: ${cause.message}`, { cause });
  return over.finally(() => process.off('SIGINT', ignore).off('SIGTERM', end).off('SIGHUP', end));
}
