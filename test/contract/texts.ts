export type LocatedText = { path: string; text: string };

const textKey = /^(description|summary|title|text|when|remedy|x-displayName)$/;

/** All texts of a contract, a schema or a document, wherever they stand; values of examples and choices are none. */
export function textsOf(value: unknown, path: string): LocatedText[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value)
    .filter(
      ([key]) => path.endsWith('.properties') || !/^(example|examples|bodyExample|value|const|enum|default)$/.test(key),
    )
    .flatMap(([key, item]) =>
      typeof item !== 'string'
        ? textsOf(item, `${path}.${key}`)
        : textKey.test(key) || /\.answers\.\d+\.headers$/.test(path)
          ? [{ path: `${path}.${key}`, text: item }]
          : [],
    );
}
