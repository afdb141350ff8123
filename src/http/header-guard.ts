import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
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
