import { randomPage } from './random.ts';

const crockford = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** Prefixes of the opaque ids: account, API key, project, hosted model, request, ledger entry, server instance. */
export type IdPrefix = 'acc' | 'key' | 'prj' | 'hm' | 'req' | 'led' | 'ins';

/** Makes `<prefix>_<ULID>`: 48 bits of time, 80 random bits, so that ids sort by creation and index well. */
export function newId(prefix: IdPrefix, nowMs: number = Date.now()): string {
  return `${prefix}_${encodeTime(nowMs)}${encodeRandom()}`;
}

function encodeTime(ms: number): string {
  let rest = ms;
  let text = '';
  for (let i = 0; i < 10; i++) {
    text = crockford.charAt(rest % 32) + text;
    rest = Math.floor(rest / 32);
  }
  return text;
}

function encodeRandom(): string {
  let text = '';
  for (const byte of randomPage(16)) text += crockford.charAt(byte & 31);
  return text;
}
