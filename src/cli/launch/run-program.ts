import { constants } from 'node:os';
import { messageOf, OperatorError, systemCodeOf } from '#kernel';
import { startProcess } from '#processes';
import { type AgentProgram, keyReference, type LaunchSettings } from './programs.ts';

type RunningProgram = {
  env: NodeJS.ProcessEnv;
  cwd: string | undefined;
  key: string;
};

/** Runs the program in the user's terminal, with the settings and then the user's own arguments; resolves to its exit code. */
export async function runProgram(
  { command, title, npmPackage }: AgentProgram,
  { env, args }: Pick<LaunchSettings, 'env' | 'args'>,
  { env: outer, cwd, key }: RunningProgram,
): Promise<number> {
  const filled = (value: string) => (value === keyReference ? key : value);
  const own = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, filled(value)]));
  // On Windows, npm's commands are scripts of the shell.
  const child = startProcess(command, {
    args: args.map(filled),
    env: { ...outer, ...own },
    cwd,
    stdin: 'inherit',
    output: 'inherit',
    isShellCommand: true,
  });
  // The terminal sends Ctrl-C to the program as well, which knows what to do.
  const ignore = () => {};
  const end = () => child.signal('SIGTERM');
  process.on('SIGINT', ignore).on('SIGTERM', end).on('SIGHUP', end);
  try {
    await child.started;
    const { code, signal } = await child.exited;
    return code ?? 128 + (signal ? constants.signals[signal] : 0);
  } catch (cause) {
    if (systemCodeOf(cause) !== 'ENOENT')
      throw new OperatorError(`${title} cannot be started: ${messageOf(cause)}`, { cause });
    throw new OperatorError(`${title} is not installed. Install it with: npm install -g ${npmPackage}`, { cause });
  } finally {
    process.off('SIGINT', ignore).off('SIGTERM', end).off('SIGHUP', end);
  }
}

/** Where the user is, and what npm has not added: a program that is started is to work in the user's folder, with another npm there. */
export function userEnvironment(environment: NodeJS.ProcessEnv): { env: NodeJS.ProcessEnv; cwd: string | undefined } {
  if (environment['npm_lifecycle_event'] !== 'fanfold') return { env: environment, cwd: undefined };
  const own = Object.entries(environment).filter(([name]) => !/^npm_|^(INIT_CWD|NODE_COMPILE_CACHE)$/.test(name));
  return { env: Object.fromEntries(own), cwd: environment['INIT_CWD'] };
}
