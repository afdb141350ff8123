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

export const maskedKey = ({ maskedPrefix, lastFour }: KeyMask): string => `${maskedPrefix}...${lastFour}`;

/** A new key. The text is shown once and then forgotten; `digest` and `mask` are stored. */
export type MintedKey = { key: string; digest: Buffer; mask: KeyMask };

export function mintKey(random: (size: number) => Buffer = randomBytes): MintedKey {
  const body = `${prefix}${base62(BigInt(`0x${random(32).toString('hex')}`), randomLength)}`;
  const key = `${body}${checksum(body)}`;
  return {
    key,
    digest: Buffer.from(digestOf(key), 'hex'),
    mask: { maskedPrefix: key.slice(0, prefix.length + 4), lastFour: key.slice(-4) },
  };
}

/**
 * Digest, in hexadecimal, of the key in `Authorization: Bearer <key>` (the scheme in any case, the checksum right); null when there is
 * no possible key. The secret itself goes no further.
 */
export function bearerDigest({ authorization }: IncomingHttpHeaders): string | null {
  const match =
    authorization === undefined ? null : /^[Bb][Ee][Aa][Rr][Ee][Rr] +(fnf_[0-9A-Za-z]{49}) *$/.exec(authorization);
  const key = match?.[1];
  if (key === undefined || key.slice(-checksumLength) !== checksum(key.slice(0, -checksumLength))) return null;
  return digestOf(key);
}

/** 256 random bits cannot be guessed from a digest, so neither salt nor a slow hash is needed. */
function digestOf(key: string): string {
  return hash('sha256', key, 'hex');
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
