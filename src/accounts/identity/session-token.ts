import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** 32 letters and digits, 190 random bits, as better-auth makes them. */
const tokenPattern = /^[A-Za-z0-9]{32}$/;

/** Random bits that cannot be guessed need neither salt nor a slow hash. */
export function digestOfToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/** What browsers keep of a session. Under `__Host-` they take it from this host only, over HTTPS, for all paths. */
export type SessionCookie = {
  /** Digest of the token that a request carries; null when there is none that can be one. */
  digestIn: (headers: IncomingHttpHeaders) => Buffer | null;
  /** `isSecure`: the request came over HTTPS, even if no public address says so. */
  set: (token: string, options: { maxAgeS: number; isSecure: boolean }) => string;
  clear: (options: { isSecure: boolean }) => string;
};

export const cookieNameOf = (isSecure: boolean, name: string) => (isSecure ? `__Host-${name}` : name);

export function createSessionCookie(isAlwaysSecure: boolean): SessionCookie {
  const name = cookieNameOf(isAlwaysSecure, 'fanfold_session');
  const write = (value: string, { maxAgeS, isSecure }: { maxAgeS: number; isSecure: boolean }) =>
    `${name}=${value}; Path=/; Max-Age=${maxAgeS}; HttpOnly; SameSite=Lax${isAlwaysSecure || isSecure ? '; Secure' : ''}`;
  return {
    digestIn({ cookie }) {
      const values = cookie === undefined ? [] : valuesOf(cookie, name);
      // A second one comes from somebody who wants to be taken for another: neither counts.
      const [token = ''] = values.length === 1 ? values : [];
      return tokenPattern.test(token) ? digestOfToken(token) : null;
    },
    set: write,
    clear: ({ isSecure }) => write('', { maxAgeS: 0, isSecure }),
  };
}

function valuesOf(header: string, name: string): string[] {
  const prefix = `${name}=`;
  return header
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part.startsWith(prefix))
    .map((part) => part.slice(prefix.length));
}

/** What a page must send beside the cookie with every change: bound to the session, known to its own pages only. */
export function csrfTokenOf(secret: Buffer, sessionId: string): string {
  return createHmac('sha256', secret).update(`csrf ${sessionId}`).digest('base64url');
}

export function isCsrfToken(given: string | string[] | undefined, expected: string): boolean {
  const bytes = Buffer.from(typeof given === 'string' ? given : '');
  const wanted = Buffer.from(expected);
  return bytes.length === wanted.length && timingSafeEqual(bytes, wanted);
}
