/** How files of imports map to examples here. */
export const mapping = { messages: 'messages', split: 'split' };

/** A line of a file: a conversation of its own for each number. */
export const row = (n: number, more: object = {}) =>
  JSON.stringify({
    messages: [
      { role: 'user', content: `Was heißt ${n}?\n` },
      { role: 'assistant', content: '\\ 數' },
    ],
    ...more,
  });

/** JSON lines with everything in them: duplicates, rows that say their split, one that is too long for the model, one that is no example. */
export function mixedRows({ rows, different }: { rows: number; different: number }): Buffer {
  const splitOf = (n: number) => (n % 2 === 0 ? 'test' : 'train');
  const usual = Array.from({ length: rows }, (_, n) => row(n % different, n % 5 === 0 ? { split: splitOf(n) } : {}));
  const tooLong = row(rows, {
    messages: [
      { role: 'user', content: 'x '.repeat(100_000) },
      { role: 'assistant', content: 'y' },
    ],
  });
  return Buffer.from([...usual, tooLong, '{"messages": 1}'].join('\n'));
}
