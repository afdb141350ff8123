import type { OpenApiDocument } from '../../src/http/openapi/model.ts';

/** Finds the path of a document that a request goes to, as the router does: fixed paths before those with parameters. */
export function publishedPath(document: OpenApiDocument): (url: string) => string | null {
  const patterns = Object.keys(document.paths)
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
