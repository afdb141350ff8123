import { fault } from './faults.ts';

const maxLength = 80;

/**
 * Gives a name for people back, or throws `invalid_request` with the field's name. Names are kept as they are sent, so
 * one that would look empty, break a line or not survive storage is refused instead of repaired.
 */
export function checkDisplayName(name: string, param: string): string {
  const length = [...name].length;
  if (length <= maxLength && name.trim() !== '' && !/\p{Cc}/u.test(name) && name.isWellFormed()) return name;
  throw fault('invalid_request', {
    message: `${param}: expected 1 to ${maxLength} characters on one line, not only spaces.`,
    param,
  });
}
