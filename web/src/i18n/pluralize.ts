/** A number with its noun: `1 row`, `1,204 rows`. For English only. */
export const pluralize = (count: string, one: string, many = `${one}s`): string =>
  `${count} ${count === '1' ? one : many}`;
