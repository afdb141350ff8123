/**
 * An expected refusal of a catalogue file, a model file or a `fanfold models` command. The message is one line for the
 * person at the terminal: what is wrong, where, and what to do.
 */
export class ModelError extends Error {
  override readonly name = 'ModelError';
}

/** Text of an unknown thrown value, on one line. */
export function reasonOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replaceAll(/\s*\n\s*/g, ' ');
}

/** System error code (`ENOENT`, `ECONNRESET`, ...) of an unknown thrown value. */
export function systemCodeOf(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;
}
