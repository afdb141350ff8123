import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isKnownVersion, notServed, prefersType } from '#http';
import { fault } from '#kernel';
import { chooseForm } from './assets.ts';
import { pages } from './pages.ts';
import { type Visitor, waitingPage } from './shell.ts';
import type { Site } from './site.ts';

const config = (operation: string) => ({ operation, access: 'public' }) as const;

export type WebDeps = { site: Site; hasSession: (headers: IncomingHttpHeaders) => boolean };

/** The web app: its page at the addresses that it knows, for whoever asks for HTML there, and its files. */
export function webRoutes({ site, hasSession }: WebDeps) {
  return async (app: FastifyInstance): Promise<void> => {
    const answer = ({ headers }: FastifyRequest, reply: FastifyReply) =>
      answerPage(site, reply, { hasSession: hasSession(headers) });
    app.get('/', { config: config('web.page') }, answer);
    for (const address of pages.flatMap((page) => [`/${page}`, `/${page}/*`]))
      app.get(address, { config: config('web.page') }, (request, reply) => {
        // A client whose base URL is too short asks for `/models`: a page would look to it like an answer that is broken.
        if (!prefersType(request, 'text/html')) throw notServed(pathIn(request));
        return answer(request, reply);
      });
    app.get('/assets/:name', { config: config('web.asset') }, (request, reply) => answerAsset(site, request, reply));
  };
}

/** Addresses that programs call: what is not found there is answered in JSON. */
const programPaths = /^\/(?:api|assets|reference|v1|openai|healthz|readyz)(?:\/|$)/;

/** The page for an address where nothing is, when somebody typed it into a browser; false: he did not. */
export function answerStranger({ site, hasSession }: WebDeps) {
  return (request: FastifyRequest, reply: FastifyReply): boolean => {
    const isReading = request.method === 'GET' || request.method === 'HEAD';
    const isBrowser = prefersType(request, 'text/html');
    if (!isReading || !isBrowser || programPaths.test(pathIn(request)) || site.now().kind !== 'ready') return false;
    void answerPage(site, reply.code(404), { hasSession: hasSession(request.headers) });
    return true;
  };
}

const pathIn = ({ url }: FastifyRequest) => url.split('?', 1)[0] ?? '';

function answerPage(site: Site, reply: FastifyReply, visitor: Visitor): FastifyReply {
  const state = site.now();
  if (state.kind !== 'ready') return answerWaiting(reply, state.kind);
  const { html, policy } = state.shell.render(visitor);
  return guard(reply, policy).send(html);
}

function answerWaiting(reply: FastifyReply, kind: 'building' | 'failed'): FastifyReply {
  const { html, policy } = waitingPage(kind);
  if (kind === 'building') reply.header('retry-after', '1');
  return guard(reply.code(503), policy).send(html);
}

function answerAsset(site: Site, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const state = site.now();
  // as: the path declares it.
  const { name } = request.params as { name: string };
  const asset = state.kind === 'ready' ? state.assets.get(name) : undefined;
  if (!asset) throw fault('not_found', { message: 'There is no such file.', headers: { 'cache-control': 'no-store' } });
  reply
    .header('cache-control', 'public, max-age=31536000, immutable')
    .header('etag', asset.etag)
    .header('vary', 'accept-encoding')
    .header('x-content-type-options', 'nosniff')
    .header('cross-origin-resource-policy', 'same-origin');
  if (isKnownVersion(request, asset.etag)) return reply.code(304).send();
  const { encoding, content } = chooseForm(asset, request.headers['accept-encoding']);
  if (encoding !== null) reply.header('content-encoding', encoding);
  return reply.type(asset.type).send(content);
}

function guard(reply: FastifyReply, policy: string): FastifyReply {
  // Over plain HTTP browsers only complain about it.
  if (reply.request.protocol === 'https') reply.header('cross-origin-opener-policy', 'same-origin');
  return reply
    .type('text/html; charset=utf-8')
    .header('cache-control', 'no-store')
    .header('content-security-policy', policy)
    .header('x-content-type-options', 'nosniff')
    .header('referrer-policy', 'same-origin')
    .header('cross-origin-resource-policy', 'same-origin')
    .header('permissions-policy', 'camera=(), geolocation=(), microphone=(), payment=(), usb=()');
}
