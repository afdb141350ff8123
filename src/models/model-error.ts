import { messageOf } from '#kernel';

/**
 * An expected refusal of a catalogue file, a model file or a `fanfold models` command. The message is one line for the
 * person at the terminal: what is wrong, where, and what to do.
 */
export class ModelError extends Error {
  override readonly name = 'ModelError';
  /** The same for callers of the API and the web app: what helps at a terminal does not help them. */
  readonly requestMessage: string;

  constructor(message: string, { inRequest = message, ...options }: ErrorOptions & { inRequest?: string } = {}) {
    super(message, options);
    this.requestMessage = inRequest.replaceAll(/--([a-z]+(?:-[a-z]+)*)/g, (_, option: string) =>
      option.replaceAll('-', '_'),
    );
  }
}

/** Somebody else works on the same files at present. */
export class ModelBusyError extends ModelError {}

/** Text of an unknown thrown value, on one line. */
export function reasonOf(error: unknown): string {
  return messageOf(error).replaceAll(/\s*\n\s*/g, ' ');
}

/** Runs a command's work; errors of the file system (no permission, no space, ...) become one line. */
export async function inOneLine<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) throw new ModelError(reasonOf(error), { cause: error });
    throw error;
  }
}
