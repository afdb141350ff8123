import { OperatorError } from './operator-error.ts';

/**
 * The secret in the file that a setting names, without the line break at its end. An empty one would be a secret that
 * everybody knows.
 *
 * @param read gives the text of a file.
 */
export function secretIn(file: string | null, setting: string, read: (file: string) => string): string | null {
  if (file === null) return null;
  const secret = textOf(file, setting, read).trim();
  if (secret === '') throw new OperatorError(`The file of ${setting}, ${file}, is empty.`);
  return secret;
}

function textOf(file: string, setting: string, read: (file: string) => string): string {
  try {
    return read(file);
  } catch (cause) {
    throw new OperatorError(`The file of ${setting}, ${file}, cannot be read.`, { cause });
  }
}
