import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** A text that is the same for everybody until it changes, with its version. */
export type CacheableText = { text: string; type: string; etag: string };

export function cacheableText(text: string, type: string): CacheableText {
  return { text, type, etag: `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"` };
}

/** Answers with the text, or with 304 when the caller has this version. Any cache may keep it for `maxAgeSeconds`. */
export function answerCacheable(
  request: FastifyRequest,
  reply: FastifyReply,
  { text, type, etag }: CacheableText,
  maxAgeSeconds = 60,
): FastifyReply {
  reply.header('etag', etag).header('cache-control', `public, max-age=${maxAgeSeconds}`);
  if (isKnownVersion(request, etag)) return reply.code(304).send();
  return reply.type(type).send(text);
}

/** Whether the caller says that it has this version. Weak comparison (RFC 9110 13.1.2). */
export function isKnownVersion(request: FastifyRequest, etag: string): boolean {
  const known = request.headers['if-none-match'] ?? '';
  return known.split(',').some((each) => each.trim() === '*' || each.trim().replace(/^W\//, '') === etag);
}
