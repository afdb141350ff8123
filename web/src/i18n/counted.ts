/** A number, as it is written, with what is counted: `1 row`, `1,204 rows`. For English only. */
export const counted = (count: string, one: string, many = `${one}s`): string =>
  `${count} ${count === '1' ? one : many}`;
