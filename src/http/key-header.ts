import type { FastifyRequest } from 'fastify';

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
