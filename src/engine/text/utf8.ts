/** Turns the bytes of successive tokens into text, holding an incomplete character back. */
export type Utf8Assembler = {
  push: (bytes: Uint8Array) => string;
  /** What is left at the end: one U+FFFD for an incomplete character, else ''. */
  end: () => string;
};

/** Invalid bytes become U+FFFD as in the WHATWG decoder: the same text for every split of the same bytes. */
export function createUtf8Assembler(): Utf8Assembler {
  // ignoreBOM: a byte order mark inside generated text is a character like any other.
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  return {
    push: (bytes) => decoder.decode(bytes, { stream: true }),
    end: () => decoder.decode(),
  };
}
