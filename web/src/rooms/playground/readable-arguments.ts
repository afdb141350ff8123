const parts = /"(?:[^"\\]|\\.)*"|[{[]\s*[}\]]|[{}[\],:]|\s+/g;

/**
 * Tool arguments with line breaks once they are complete. Not parsed, which would change long numbers and the order of
 * some names.
 */
export function readable(args: string): string {
  try {
    JSON.parse(args);
  } catch {
    return args;
  }
  let depth = 0;
  const line = (change: number) => {
    depth += change;
    return `\n${'  '.repeat(depth)}`;
  };
  return args.replace(parts, (part) => {
    if (part === '{' || part === '[') return part + line(1);
    if (part === '}' || part === ']') return line(-1) + part;
    if (part === ',') return part + line(0);
    if (part === ':') return ': ';
    return part.startsWith('"') ? part : part.replace(/\s/g, '');
  });
}
