import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { type Fault, fault } from '#kernel';

/**
 * Header fields that decide which host is meant, who asks and how the body is read. A request with two of one of them
 * is refused: programs on its way may have read different ones.
 */
const once: readonly string[] = [
  'host',
  'authorization',
  'x-api-key',
  'content-type',
  'content-encoding',
  'content-length',
];
const onceLengths = new Set(once.map((name) => name.length));

/** Refuses malformed and misleading requests before anything is routed, authenticated or read. */
export function checkHeaders(request: IncomingMessage): Fault | null {
  const repeated = repeatedHeader(request.rawHeaders);
  if (repeated) return fault('invalid_request', { message: `The header field ${repeated} may be sent only once.` });
  if (request.headers.host === undefined && request.httpVersion !== '1.0')
    return fault('invalid_request', { message: 'The header field host is missing.' });
  if (request.url?.includes('%00')) return fault('invalid_request', { message: 'The URL holds a NUL character.' });
  return checkEncoding(request.headers);
}

/** The raw list is looked at because Node keeps only the first of two equal fields. */
function repeatedHeader(rawHeaders: readonly string[]): string | null {
  let seen = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    if (!onceLengths.has(name.length)) continue;
    const index = once.indexOf(name.toLowerCase());
    if (index < 0) continue;
    const bit = 1 << index;
    if (seen & bit) return once[index] ?? null;
    seen |= bit;
  }
  return null;
}

function checkEncoding(headers: IncomingHttpHeaders): Fault | null {
  const encoding = headers['content-encoding'];
  const transfer = headers['transfer-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') return compressed('content-encoding');
  if (transfer !== undefined && transfer.toLowerCase() !== 'chunked') return compressed('transfer-encoding');
  return null;
}

/** Uploads are no JSON: the words of the catalogue would mislead. */
function compressed(name: string): Fault {
  return fault('unsupported_media_type', { message: `Send the body as it is, without compression (${name}).` });
}

/** JSON is UTF-8 (RFC 8259); another charset would be read wrongly. */
export function isJsonContentType(contentType: string): boolean {
  if (contentType === 'application/json') return true;
  const [type = '', ...parameters] = contentType.toLowerCase().split(';');
  if (type.trim() !== 'application/json') return false;
  return parameters.every((parameter) => {
    const [name = '', value = ''] = parameter.split('=');
    return name.trim() !== 'charset' || /^\s*"?utf-?8"?\s*$/.test(value);
  });
}

/**
 * Some clients send a key in a header field of their own; the routes for them say in which. Whoever looks for a key finds it
 * where all others are. An API key in `authorization` counts more: what else stands there is a setting of such a client.
 */
export function takeKey({ raw: { headers }, routeOptions }: FastifyRequest): void {
  const { keyHeader } = routeOptions.config;
  if (keyHeader === undefined || /^bearer fnf_/i.test(headers.authorization ?? '')) return;
  const key = headers[keyHeader];
  if (typeof key === 'string' && key !== '') headers.authorization = `Bearer ${key}`;
}

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
