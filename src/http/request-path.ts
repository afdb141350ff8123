import type { IncomingMessage } from 'node:http';

/** The path of a request as the router is to see it. */
export function requestPath({ url = '/', method = 'GET' }: Pick<IncomingMessage, 'url' | 'method'>): string {
  const path = originForm(url);
  return method === 'POST' ? path : withModelName(path);
}

/** `GET http://host/path` is as good as `GET /path` (RFC 9112 3.2.2). */
function originForm(url: string): string {
  if (url.startsWith('/') || !/^https?:\/\//i.test(url)) return url;
  const path = url.indexOf('/', 8);
  return path < 0 ? '/' : url.slice(path);
}

const modelPath =
  /^(\/api\/projects\/[^/?#]+\/[^/?#]+\/(?:openai|anthropic)\/v1\/models\/)([^/?#]+(?:\/[^/?#]+)+)(.*)$/s;

/**
 * Some clients put the name of a model into a path as it is, others encode it: `models/org/model` is `models/org%2Fmodel`.
 * Nothing lies below a model.
 */
function withModelName(url: string): string {
  const [, list = '', name = '', rest = ''] = modelPath.exec(url) ?? [];
  return name === '' ? url : list + name.replaceAll('/', '%2F') + rest;
}
