import type { IncomingHttpHeaders } from 'node:http';
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

function isOwn(origin: string, { host, publicUrl }: { host: string | undefined; publicUrl: string | null }): boolean {
  if (publicUrl !== null && origin === new URL(publicUrl).origin) return true;
  return URL.canParse(origin) && new URL(origin).host === host?.toLowerCase();
}
