/** Conversations whose words are as unevenly frequent as those of real ones (Zipf), the same in every run. */
export type ExampleTexts = {
  /** Raw contents of text examples. */
  next: () => unknown;
  /** A word, the frequent ones more often. */
  word: () => string;
};

const vocabularySize = 50_000;
const syllables = ['ka', 'lo', 'mi', 'ta', 're', 'su', 'no', 'vi', 'pe', 'dra', 'sto', 'lum', 'ber', 'kin', 'zo', 'fa'];

export function exampleTexts(seed: number): ExampleTexts {
  const random = randomNumbers(seed);
  const vocabulary = Array.from({ length: vocabularySize }, (_, index) => wordOf(index + 1));
  const word = () => vocabulary[Math.floor(vocabularySize ** random()) - 1] ?? 'ka';
  const text = (words: number) => Array.from({ length: words }, word).join(' ');
  return {
    word,
    next: () => ({
      messages: [
        { role: 'user', content: text(10 + Math.floor(random() * 20)) },
        { role: 'assistant', content: text(30 + Math.floor(random() * 60)) },
      ],
    }),
  };
}

function wordOf(number: number): string {
  const rest = Math.floor(number / syllables.length);
  return (rest > 0 ? wordOf(rest) : '') + (syllables[number % syllables.length] ?? '');
}

/** Mulberry32. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
