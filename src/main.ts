import { isDiskFull, sqlState } from '#db';
import { Fault, isStorageFull, OperatorError, UsageError } from '#kernel';
import { ModelError } from '#models';
import { createProgram } from './cli/program.ts';
import { note } from './cli/terminal.ts';
import { loadConfig } from './config.ts';

// npm passes a signal on that the terminal has sent to the server already: copies within this time are one signal.
const sameSignalMs = 1_000;

/** For commands that end in order: aborts at the first signal, ends the process at once at the second. Any other command ends at the first. */
function stopOnSignal(): AbortSignal {
  const stop = new AbortController();
  const first = { atMs: Number.POSITIVE_INFINITY };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => {
      const nowMs = performance.now();
      if (nowMs - first.atMs > sameSignalMs) process.exit(1);
      first.atMs = Math.min(first.atMs, nowMs);
      stop.abort();
    });
  return stop.signal;
}

/** What a person can mend is one line; anything else is a bug and keeps its stack trace. */
function complain(error: unknown): void {
  if (isDiskFull(error)) note('The disk of the database is full.');
  else if (isStorageFull(error)) note('The disk is full.');
  else if (error instanceof OperatorError || error instanceof ModelError) note(error.message);
  else if (sqlState(error) === '53300')
    note('PostgreSQL has no connection left: raise its max_connections, or lower FANFOLD_DATABASE_CONNECTIONS.');
  else if (error instanceof Fault) note(error.message);
  else process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
}

// What this program and its children make is for its user only: a data folder that was there may be open to others.
const umask = process.umask(0o077);
try {
  await createProgram({ config: loadConfig, stop: stopOnSignal, umask }).parseAsync();
  process.exit();
} catch (error) {
  complain(error);
  process.exit(error instanceof UsageError ? 2 : 1);
}
