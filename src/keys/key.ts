import { hash, randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { crc32 } from 'node:zlib';

/**
 * The form of a key: `fnf_`, 256 random bits in base 62, and the CRC-32 of all before it in base 62. The checksum lets
 * scanners and this server tell a key from a look-alike without asking anybody.
 */
export const keyPattern = /^fnf_[0-9A-Za-z]{49}$/;

const prefix = 'fnf_';
const randomLength = 43;
const checksumLength = 6;
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** What may be kept of a key: enough to recognise it, too little to use it. */
export type KeyMask = { maskedPrefix: string; lastFour: string };

/** A key as people may see it. */
export const maskedKey = ({ maskedPrefix, lastFour }: KeyMask): string => `${maskedPrefix}...${lastFour}`;

/** A new key. The text is shown once and then forgotten; `digest` and `mask` are stored. */
export type MintedKey = { key: string; digest: Buffer; mask: KeyMask };

export function mintKey(random: (size: number) => Buffer = randomBytes): MintedKey {
  const body = `${prefix}${base62(BigInt(`0x${random(32).toString('hex')}`), randomLength)}`;
  const key = `${body}${checksum(body)}`;
  return {
    key,
    digest: digestOf(key),
    mask: { maskedPrefix: key.slice(0, prefix.length + 4), lastFour: key.slice(-4) },
  };
}

/** SHA-256 of a well-formed key with a right checksum; null for anything else. The secret itself goes no further. */
export function digestOfKey(text: string): Buffer | null {
  if (!keyPattern.test(text)) return null;
  const body = text.slice(0, -checksumLength);
  return text.slice(-checksumLength) === checksum(body) ? digestOf(text) : null;
}

/** Digest of the key in `Authorization: Bearer <key>` (the scheme in any case); null when there is no possible key. */
export function bearerDigest({ authorization }: IncomingHttpHeaders): Buffer | null {
  const match = authorization === undefined ? null : /^bearer +(fnf_[0-9A-Za-z]{49}) *$/i.exec(authorization);
  return match?.[1] === undefined ? null : digestOfKey(match[1]);
}

/** 256 random bits cannot be guessed from a digest, so neither salt nor a slow hash is needed. */
function digestOf(key: string): Buffer {
  return hash('sha256', key, 'buffer');
}

/** Made for every call: without `bigint`, which 32 bits do not need. */
function checksum(body: string): string {
  let rest = crc32(body);
  let text = '';
  for (let digit = 0; digit < checksumLength; digit++) {
    text = alphabet.charAt(rest % 62) + text;
    rest = Math.floor(rest / 62);
  }
  return text;
}

function base62(value: bigint, length: number): string {
  let rest = value;
  let text = '';
  while (text.length < length) {
    text = alphabet.charAt(Number(rest % 62n)) + text;
    rest /= 62n;
  }
  return text;
}
