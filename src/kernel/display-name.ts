import { fault } from './faults.ts';

const maxLength = 80;
/** Line breaks and other control characters, also those that change the direction of the text beside the name. */
const breaks = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;
/** What leaves no mark on a page: spaces, joiners, variation selectors, fillers and the blank of Braille. */
const unseen = /[\p{White_Space}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb\u2800]/gu;

/**
 * Gives a name for people back, or throws `invalid_request` with the field's name. Names are kept as they are sent, so
 * one that would look empty, break a line or not survive storage is refused instead of repaired.
 */
export function checkDisplayName(name: string, param: string): string {
  const isShort = [...name].length <= maxLength;
  if (isShort && isSeen(name) && name.search(breaks) === -1 && name.isWellFormed()) return name;
  throw fault('invalid_request', {
    message: `${param}: expected 1 to ${maxLength} characters on one line, not only spaces or invisible ones, and no control characters, bidirectional ones included.`,
    param,
  });
}

/** A name made of what something is called elsewhere, as far as that fits; null: nothing would be seen of it. */
export function displayNameFrom(text: string): string | null {
  const line = text.replace(breaks, ' ').trim();
  const name = [...line].slice(0, maxLength).join('');
  return isSeen(name) && name.isWellFormed() ? name : null;
}

function isSeen(name: string): boolean {
  return name.replace(unseen, '') !== '';
}
