import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { fault } from '#kernel';

/**
 * Refuses a request that a page of another site made. Browsers say who asks in `Origin` or, older ones aside, in
 * `Sec-Fetch-Site`; a client that is no browser says neither and carries no cookies of somebody else.
 */
export function refuseForeignPages(headers: IncomingHttpHeaders, publicUrl: string | null): void {
  const { origin } = headers;
  const site = headers['sec-fetch-site'];
  const isForeign =
    origin === undefined
      ? site === 'cross-site' || site === 'same-site'
      : !isOwn(origin, { host: headers.host, publicUrl });
  if (isForeign) throw fault('forbidden', { message: 'Pages of other sites may not do this.', param: 'origin' });
}

/** For routes where nobody has a session yet: there is no token to ask for, so a page of another site is known by its origin. */
export function ownPagesOnly({ publicUrl }: { publicUrl: string | null }) {
  return async ({ headers }: FastifyRequest): Promise<void> => refuseForeignPages(headers, publicUrl);
}

function isOwn(origin: string, { host, publicUrl }: { host: string | undefined; publicUrl: string | null }): boolean {
  if (publicUrl !== null && origin === new URL(publicUrl).origin) return true;
  return URL.canParse(origin) && new URL(origin).host === host?.toLowerCase();
}
