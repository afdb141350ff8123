/** A program that Node forks: what is run, and what stands in front of its script. */
type Command = { execPath: string; execArgv: string[] };

/**
 * KB of the stack. llama.cpp divides texts with regular expressions that call themselves for every letter of a word, at up to
 * 400 bytes each: this is enough for two million letters. What is not used takes no memory.
 */
const stackKb = 1_048_576;

/** Where the system allows less, as much as it does. */
const raise = `ulimit -s ${stackKb} 2>/dev/null || ulimit -s "$(ulimit -H -s)" 2>/dev/null; exec "$0" "$@"`;

/** The same program with room for long words. Only a shell can change the limit, and it becomes the program. */
export function withLargeStack({ execPath, execArgv }: Command): Command {
  // Windows has neither the limit nor the shell.
  if (process.platform === 'win32') return { execPath, execArgv };
  return { execPath: '/bin/sh', execArgv: ['-c', raise, execPath, ...execArgv] };
}
