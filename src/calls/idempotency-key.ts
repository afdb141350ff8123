import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { fault } from '#kernel';

const headerName = 'idempotency-key';
const keyPattern = /^[\x20-\x7e]{1,128}$/;

/** The `Idempotency-Key` of a request that has one. Throws `invalid_request`. */
export function requireIdempotencyKey(headers: IncomingHttpHeaders): string {
  const sent = headers[headerName];
  if (typeof sent === 'string' && keyPattern.test(sent)) return sent;
  throw fault('invalid_request', {
    message: 'Idempotency-Key: expected 1 to 128 printable ASCII characters.',
    param: 'Idempotency-Key',
  });
}

/** SHA-256 over method, path and body; the query string is no part of it. */
export function fingerprintOf({ method, url, body }: { method: string; url: string; body: unknown }): Buffer {
  const [path = ''] = url.split('?', 1);
  return createHash('sha256').update(`${method} ${path}\n`).update(JSON.stringify(body)).digest();
}
