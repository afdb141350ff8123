import { createHash, createHmac, randomInt, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

const tokenPattern = /^[A-Za-z0-9]{32}$/;

/** Random bits that cannot be guessed need neither salt nor a slow hash. */
export function digestOfToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

const tokenCharacters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const tokenLength = 32;

export function newToken(): string {
  return Array.from({ length: tokenLength }, () => tokenCharacters[randomInt(tokenCharacters.length)]).join('');
}

/** A cookie of this service. Under `__Host-` browsers take it from this host only, over HTTPS, for all paths. */
export type Cookie = {
  /** null: there is none, or two: a second one comes from somebody who wants to be taken for another. */
  valueIn: (headers: IncomingHttpHeaders) => string | null;
  /** `isSecure`: the request came over HTTPS, even if no public address says so. */
  set: (value: string, options: { maxAgeS: number; isSecure: boolean }) => string;
  clear: (options: { isSecure: boolean }) => string;
};

export type SessionCookie = Pick<Cookie, 'set' | 'clear'> & {
  /** Digest of the token that a request carries; null when there is none that can be one. */
  digestIn: (headers: IncomingHttpHeaders) => Buffer | null;
};

export function createCookie(plainName: string, isAlwaysSecure: boolean): Cookie {
  const name = isAlwaysSecure ? `__Host-${plainName}` : plainName;
  const write = (value: string, { maxAgeS, isSecure }: { maxAgeS: number; isSecure: boolean }) =>
    `${name}=${value}; Path=/; Max-Age=${maxAgeS}; HttpOnly; SameSite=Lax${isAlwaysSecure || isSecure ? '; Secure' : ''}`;
  return {
    valueIn({ cookie = '' }) {
      const parts = cookie.split(';').map((part) => part.trim());
      const values = parts.filter((part) => part.startsWith(`${name}=`)).map((part) => part.slice(name.length + 1));
      return values.length === 1 ? (values[0] ?? null) : null;
    },
    set: write,
    clear: ({ isSecure }) => write('', { maxAgeS: 0, isSecure }),
  };
}

export function createSessionCookie(isAlwaysSecure: boolean): SessionCookie {
  const cookie = createCookie('fanfold_session', isAlwaysSecure);
  return {
    ...cookie,
    digestIn(headers) {
      const token = cookie.valueIn(headers) ?? '';
      return tokenPattern.test(token) ? digestOfToken(token) : null;
    },
  };
}

/** What a page must send beside the cookie with every change: bound to the session, known to its own pages only. */
export function csrfTokenOf(secret: Buffer, sessionId: string): string {
  return createHmac('sha256', secret).update(`csrf ${sessionId}`).digest('base64url');
}

export function isCsrfToken(given: string | string[] | undefined, expected: string): boolean {
  const bytes = Buffer.from(typeof given === 'string' ? given : '');
  const token = Buffer.from(expected);
  return bytes.length === token.length && timingSafeEqual(bytes, token);
}
