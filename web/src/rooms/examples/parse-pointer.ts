/** A JSON pointer as its column or field and the rest; entries count from one. */
export function parsePointer(pointer: string): { name: string; inside: (string | number)[] } | null {
  const [name, ...inside] = pointer.split('/').slice(1).map(unescaped);
  if (name === undefined) return null;
  return { name, inside: inside.map((part) => (/^\d+$/.test(part) ? Number(part) + 1 : part)) };
}

const unescaped = (part: string) => part.replaceAll('~1', '/').replaceAll('~0', '~');
