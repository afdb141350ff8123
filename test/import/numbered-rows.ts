/** Rows of pairs that are numbered on. */
export const pairs = (count: number, from = 0) =>
  Array.from({ length: count }, (_, n) =>
    JSON.stringify({ prompt: `What comes after ${from + n}?`, completion: `${from + n + 1}` }),
  );

export const fileOf = (lines: readonly string[]) => Buffer.from(lines.join('\n'));
