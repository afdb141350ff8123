import { newId } from '#kernel';

const digits = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
export const countedDigits = 7;

/** Makes ids of examples that ascend in the order in which they are made: a common beginning and a number from nought. */
export function exampleIds(): () => string {
  const head = newId('ex').slice(0, -countedDigits);
  let next = 0;
  return () => head + encode(next++);
}

/** The id at a place among those that were made together with this one. */
export function idAt(id: string, place: number): string {
  return id.slice(0, -countedDigits) + encode(place);
}

/** Which one it is of those that were made together. */
export function placeOf(id: string): number {
  let place = 0;
  for (const digit of id.slice(-countedDigits)) place = place * digits.length + digits.indexOf(digit);
  return place;
}

/** How many of `examples` that were made together with `firstId` are before an id. */
export function placesBefore(id: string, { firstId, examples }: { firstId: string; examples: number }): number {
  if (id <= firstId) return 0;
  if (id > idAt(firstId, examples - 1)) return examples;
  return placeOf(id);
}

/** Writes the number of a place as the end of an id that ends there. */
export function writePlace(into: Buffer, end: number, place: number): void {
  let rest = place;
  for (let at = end - 1; at >= end - countedDigits; at--) {
    into[at] = digits.charCodeAt(rest % digits.length);
    rest = Math.floor(rest / digits.length);
  }
}

function encode(number: number): string {
  let rest = number;
  let tail = '';
  for (let place = 0; place < countedDigits; place++) {
    tail = digits.charAt(rest % digits.length) + tail;
    rest = Math.floor(rest / digits.length);
  }
  return tail;
}
