export type FoundText = { place: string; english: string; translation: unknown };

/** All texts of a contract or a schema, wherever they stand; names of fields that happen to be `description` are none. */
export function textsOf(value: unknown, place: string): FoundText[] {
  if (typeof value !== 'object' || value === null) return [];
  const own: unknown = Reflect.get(value, 'description');
  // A schema that stands inside of another one may leave the text to that.
  const here =
    typeof own === 'string' && own !== '' ? [{ place, english: own, translation: Reflect.get(value, 'x-zh') }] : [];
  const nested = Object.entries(value).filter(
    ([key]) => !/^(example|examples|bodyExample|value|const|enum|default)$/.test(key),
  );
  return [...here, ...nested.flatMap(([key, item]) => textsOf(item, `${place}.${key}`))];
}
