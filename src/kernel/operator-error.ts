/**
 * Something that only the person who runs the server can mend: a bad setting, a port in use, a database that cannot be
 * reached. The message is one complete sentence; the command line prints it without a stack trace and exits with code 1.
 */
export class OperatorError extends Error {
  override readonly name: string = 'OperatorError';
}

/** The same for a command that does not exist; the command line exits with code 2. */
export class UsageError extends OperatorError {
  override readonly name = 'UsageError';
}
