/** Finds the published path that a request goes to, as the router does: fixed paths before those with parameters. */
export function publishedPath(paths: readonly string[]): (url: string) => string | null {
  const patterns = paths
    .toSorted((a, b) => parametersIn(a) - parametersIn(b))
    .map((path) => ({ path, pattern: patternOf(path) }));
  return (url) => {
    const asked = url.split(/[?#]/, 1)[0] ?? '';
    return patterns.find(({ pattern }) => pattern.test(asked))?.path ?? null;
  };
}

const parametersIn = (path: string) => path.split('{').length;

function patternOf(path: string): RegExp {
  const source = path.replace(/[.+?^$()|[\]\\]/g, '\\$&').replace(/\{[a-z_]+\}/g, '[^/]+');
  return new RegExp(`^${source}$`);
}
