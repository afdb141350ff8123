/** A queue of text: appended in pieces, taken from the front; the cost is linear in what passes through. */
export type HeldText = {
  append: (text: string) => void;
  /** Takes the first `length` UTF-16 units. */
  take: (length: number) => string;
  length: () => number;
};

export function createHeldText(): HeldText {
  let pieces: string[] = [];
  /** First piece that is not taken yet, and how much of it is. */
  let head = 0;
  let offset = 0;
  let held = 0;
  return {
    append: (text) => {
      if (text !== '') pieces.push(text);
      held += text.length;
    },
    take: (length) => {
      const taken: string[] = [];
      let missing = Math.min(length, held);
      held -= missing;
      while (missing > 0) {
        const piece = pieces[head] ?? '';
        const part = piece.slice(offset, offset + missing);
        taken.push(part);
        missing -= part.length;
        offset += part.length;
        if (offset === piece.length) {
          head += 1;
          offset = 0;
        }
      }
      if (head > 64 && head * 2 > pieces.length) {
        pieces = pieces.slice(head);
        head = 0;
      }
      return taken.join('');
    },
    length: () => held,
  };
}
