import { spawn } from 'node:child_process';
import { Socket } from 'node:net';
import { ManagedProcess, type OnOutputLine } from './managed-process.ts';

export type StartOptions = {
  args?: readonly string[];
  env?: Readonly<Record<string, string | undefined>>;
  cwd?: string | undefined;
  user?: { uid: number; gid: number } | null;
  /** It leads a process group of its own: Ctrl-C at the terminal does not reach it. */
  leadsGroup?: boolean;
  stdin?: 'ignore' | 'inherit' | 'pipe';
  /** Where both its outputs go: nowhere, to those of this process, to an open file, or line by line to a function. */
  output?: 'ignore' | 'inherit' | number | OnOutputLine;
  descriptor3?: number;
  /** The signal that it gets when this process dies, however that happens. */
  signalOnParentDeath?: NodeJS.Signals;
  /** On Windows, commands of npm are scripts of the shell. */
  isShellCommand?: boolean;
  timeoutMs?: number;
};

const guardDescriptor = 4;

/**
 * A tiny shell beside the program waits for the end of a pipe that only this process holds. End of file means that this process died,
 * so the program gets the signal; a line means that the program has ended, and that its process number may be another's.
 */
const guardScript = (signal: NodeJS.Signals) =>
  `( ( read -r _ <&${guardDescriptor} || kill -${signal.slice(3)} $$ ) & ); exec "$@" ${guardDescriptor}<&-`;

/** Starts a program. Throws nothing: `started` and `exited` report what went wrong. */
export function startProcess(file: string, options: StartOptions): ManagedProcess {
  const { args = [], output = 'ignore', user, signalOnParentDeath, timeoutMs } = options;
  const command =
    signalOnParentDeath === undefined
      ? [file, ...args]
      : ['/bin/sh', '-c', guardScript(signalOnParentDeath), 'fanfold-child', file, ...args];
  const outputTo = typeof output === 'function' ? 'pipe' : output;
  const child = spawn(command[0] ?? file, command.slice(1), {
    ...(user ? { uid: user.uid, gid: user.gid } : {}),
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    ...(options.env === undefined ? {} : { env: { ...options.env } }),
    ...(timeoutMs === undefined ? {} : { timeout: timeoutMs, killSignal: 'SIGKILL' }),
    detached: options.leadsGroup === true,
    shell: options.isShellCommand === true && process.platform === 'win32',
    stdio: [
      options.stdin ?? 'ignore',
      outputTo,
      outputTo,
      options.descriptor3 ?? 'ignore',
      signalOnParentDeath === undefined ? 'ignore' : 'pipe',
    ],
  });
  const guard = child.stdio[guardDescriptor];
  if (guard instanceof Socket) {
    guard.on('error', () => {});
    child.once('exit', () => guard.end('over\n'));
  }
  return new ManagedProcess(child, typeof output === 'function' ? output : undefined);
}
