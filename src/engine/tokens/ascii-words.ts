export const other = 0;
const letter = 1;
const digit = 2;
const blank = 3;
const newline = 4;
const unknown = 5;

/** What a byte is to the division of a text; blanks and line ends that are not listed are not divided here. */
const classes = Uint8Array.from({ length: 256 }, (_, byte) => classOf(byte));

export function classOf(byte: number): number {
  const character = String.fromCharCode(byte);
  if (/[A-Za-z]/.test(character)) return letter;
  if (/[0-9]/.test(character)) return digit;
  if (/[ \t]/.test(character)) return blank;
  if (/[\r\n]/.test(character)) return newline;
  return byte > 0x20 && byte < 0x7f ? other : unknown;
}

const space = 0x20;
const apostrophe = 0x27;

/** The expression of `text-counter.ts`, choice by choice, for ASCII. 0: the byte is not known here. */
export function endOfWord(bytes: Uint8Array, at: number, length: number): number {
  const kind = classes[bytes[at] ?? 0];
  if (kind === letter) return endOf(letter, bytes, at + 1, length);
  if (kind === digit) return at + 1;
  if (kind === unknown) return 0;
  const next = at + 1 < length ? classes[bytes[at + 1] ?? 0] : unknown;
  if (kind === other) {
    const contraction = bytes[at] === apostrophe ? endOfContraction(bytes, at, length) : 0;
    if (contraction > 0) return contraction;
  }
  if (kind !== newline && next === letter) return endOf(letter, bytes, at + 2, length);
  if (kind === other || (bytes[at] === space && next === other))
    return endOf(newline, bytes, endOf(other, bytes, at + 1, length), length);
  return endOfBlanks(bytes, at, length);
}

function endOf(kind: number, bytes: Uint8Array, at: number, length: number): number {
  let end = at;
  while (end < length && classes[bytes[end] ?? 0] === kind) end++;
  return end;
}

/** `'s`, `'ll` and the like; 0: there is none. */
function endOfContraction(bytes: Uint8Array, at: number, length: number): number {
  const [first, second] = [at + 1, at + 2].map((place) => (place < length ? (bytes[place] ?? 0) | 0x20 : 0));
  const text = String.fromCharCode(first ?? 0, second ?? 0);
  if (/^[sdmt]/.test(text)) return at + 2;
  return /^(?:ll|ve|re)/.test(text) ? at + 3 : 0;
}

/** Up to the last line end among them; else all but the one that belongs to the word behind. */
function endOfBlanks(bytes: Uint8Array, at: number, length: number): number {
  let end = at;
  let behindNewline = 0;
  for (let kind = classes[bytes[end] ?? 0]; end < length && (kind === blank || kind === newline); ) {
    end++;
    if (kind === newline) behindNewline = end;
    kind = classes[bytes[end] ?? 0];
  }
  if (behindNewline > 0) return behindNewline;
  return end === length || end - at === 1 ? end : end - 1;
}
