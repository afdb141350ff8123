import { randomFillSync } from 'node:crypto';

const crockford = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** Prefixes of the opaque ids, one per kind of thing. */
export type IdPrefix =
  | 'acc' // account
  | 'act' // activity
  | 'att' // attempt of a training job
  | 'cht' // chat
  | 'chk' // checkout
  | 'ds' // dataset
  | 'dsv' // dataset version
  | 'ex' // example
  | 'hm' // hosted model
  | 'idx' // dataset index
  | 'img' // image of a chat
  | 'imp' // import
  | 'ins' // server instance
  | 'inv' // invitation
  | 'job' // training job
  | 'key' // API key
  | 'led' // ledger entry
  | 'msg' // chat message
  | 'prj' // project
  | 'pul' // pull of a model
  | 'req' // request
  | 'rev' // retrieval event
  | 'ses' // session of a signed-in person
  | 'shr'; // share of a hosted model

/** Makes `<prefix>_<ULID>`: 48 bits of time, 80 random bits, so that ids sort by creation and index well. */
export function newId(prefix: IdPrefix, nowMs: number = Date.now()): string {
  return `${prefix}_${encodeTime(nowMs)}${encodeRandom()}`;
}

const countedDigits = 7;

/** Makes ids that ascend in the order in which they are made: for many things at once whose order counts. */
export function ascendingIds(prefix: IdPrefix, nowMs: number = Date.now()): () => string {
  const head = newId(prefix, nowMs).slice(0, -countedDigits);
  let next = 0;
  return () => head + encode(next++, countedDigits);
}

/** Whether a text can be an id of this kind at all. What cannot may hold characters that the database does not take. */
export function isId(prefix: IdPrefix, text: string): boolean {
  return text.startsWith(`${prefix}_`) && /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/.test(text.slice(prefix.length + 1));
}

/** When an id was made, ms; null for what is no id of this kind. */
export function timeOfId(prefix: IdPrefix, id: string): number | null {
  if (!isId(prefix, id)) return null;
  let ms = 0;
  for (const digit of id.slice(prefix.length + 1, prefix.length + 11)) ms = ms * 32 + crockford.indexOf(digit);
  return ms;
}

/** The id before all ids of this kind that are made at or after `ms`. */
export function firstIdAt(prefix: IdPrefix, ms: number): string {
  return `${prefix}_${encodeTime(ms)}${'0'.repeat(16)}`;
}

function encodeTime(ms: number): string {
  return encode(ms, 10);
}

function encode(number: number, digits: number): string {
  let rest = number;
  let text = '';
  for (let i = 0; i < digits; i++) {
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

const pool = { bytes: Buffer.alloc(4096), next: 4096 };

/**
 * Cryptographically random bytes for ids, valid until the next call. Drawn from the system a page at a time: ids are
 * made for every request, and a draw costs more than all the rest of an id.
 */
export function randomPage(size: number): Buffer {
  if (pool.next + size > pool.bytes.length) {
    randomFillSync(pool.bytes);
    pool.next = 0;
  }
  pool.next += size;
  return pool.bytes.subarray(pool.next - size, pool.next);
}
