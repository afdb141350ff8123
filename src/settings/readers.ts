import { isIP } from 'node:net';
import { isAbsolute } from 'node:path';
import { type Micro, parseCredits } from '#kernel';

const roles = ['serve', 'worker'] as const;

/** What a process does: it answers requests, or works in the background, or both. */
export type Role = (typeof roles)[number];

export const allRoles: readonly Role[] = roles;
export const expectedRoles = `${roles.join(', ')} or both, separated by a comma`;

export function readRoles(text: string): readonly Role[] | undefined {
  const names = text.split(',').map((part) => part.trim());
  return names.every((name) => roles.some((role) => role === name))
    ? roles.filter((role) => names.includes(role))
    : undefined;
}

export function readCredits(text: string): Micro | undefined {
  const micro = parseCredits(text);
  return micro !== null && micro >= 0n ? micro : undefined;
}

export function readRatio(text: string): number | undefined {
  return /^(0|1|0?\.\d{1,9}|1\.0+)$/.test(text) ? Number(text) : undefined;
}

export function readPath(text: string): string | undefined {
  return isAbsolute(text) ? text : undefined;
}

export function readPublicUrl(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username || url.password)
    return undefined;
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}

export function readOrigins(text: string): readonly string[] | undefined {
  const origins = text.split(',').map((part) => part.trim().replace(/\/$/, ''));
  return origins.every(isOrigin) ? origins : undefined;
}

/** Desktop programs and browser extensions have schemes of their own, whose origin the URL parser does not tell. */
function isOrigin(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { origin, protocol } = new URL(text);
  if (origin !== 'null') return origin === text;
  return protocol !== 'file:' && /^[a-z][a-z0-9+.-]*:\/\/[^\s/?#@]+$/.test(text);
}

export function readProxies(text: string): readonly string[] | undefined {
  const proxies = text.split(',').map((part) => part.trim());
  return proxies.every(isRange) ? proxies : undefined;
}

function isRange(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
}

/** null: the data folder. */
export function readObjectStore(text: string): { bucket: string; prefix: string } | null | undefined {
  if (text === 'folder') return null;
  const [, bucket, path = ''] = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([A-Za-z0-9._/-]*))?$/.exec(text) ?? [];
  if (bucket === undefined) return undefined;
  const prefix = path.split('/').filter((part) => part !== '');
  return { bucket, prefix: prefix.map((part) => `${part}/`).join('') };
}
