import { newId } from '#kernel';

const digits = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const counted = 7;

/** Makes ids of examples that ascend in the order in which they are made: a common beginning and a number from nought. */
export function exampleIds(): () => string {
  const head = newId('ex').slice(0, -counted);
  let next = 0;
  return () => head + encode(next++);
}

/** The id at a place among those that were made together with this one. */
export function idAt(id: string, place: number): string {
  return id.slice(0, -counted) + encode(place);
}

/** Which one it is of those that were made together. */
export function placeOf(id: string): number {
  let place = 0;
  for (const digit of id.slice(-counted)) place = place * digits.length + digits.indexOf(digit);
  return place;
}

/** How many of `examples` that were made together with `firstId` are before an id. */
export function placesBefore(id: string, { firstId, examples }: { firstId: string; examples: number }): number {
  if (id <= firstId) return 0;
  if (id > idAt(firstId, examples - 1)) return examples;
  return placeOf(id);
}

function encode(number: number): string {
  let rest = number;
  let tail = '';
  for (let place = 0; place < counted; place++) {
    tail = digits.charAt(rest % digits.length) + tail;
    rest = Math.floor(rest / digits.length);
  }
  return tail;
}
