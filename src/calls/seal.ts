import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

const cipher = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

/** What a sealed body is bound to: only who presents the same credential and the same key can open it. */
export type SealOwner = { credential: string; accountId: string; key: string };

/**
 * Encrypts the body of an answer that holds a secret. The key is made of the caller's credential, of which the database
 * has a digest only, so that a copy of the database opens nothing.
 */
export function seal(body: Buffer, owner: SealOwner): Buffer {
  const nonce = randomBytes(nonceBytes);
  const encryption = createCipheriv(cipher, keyOf(owner), nonce);
  return Buffer.concat([nonce, encryption.update(body), encryption.final(), encryption.getAuthTag()]);
}

/** The body; null for somebody who presents another credential. */
export function unseal(sealed: Buffer, owner: SealOwner): Buffer | null {
  const decryption = createDecipheriv(cipher, keyOf(owner), sealed.subarray(0, nonceBytes));
  decryption.setAuthTag(sealed.subarray(-tagBytes));
  try {
    return Buffer.concat([decryption.update(sealed.subarray(nonceBytes, -tagBytes)), decryption.final()]);
  } catch {
    return null;
  }
}

/** What the caller proved himself with: an API key, or the token of his session. Other cookies come and go, whatever they are called. */
export function credentialOf({ authorization, cookie }: IncomingHttpHeaders): string {
  if (authorization !== undefined) return authorization.replace(/^\S+\s+/, '');
  return /(?:^|;)\s*(?:__Host-)?fanfold_session=([^;]*)/.exec(cookie ?? '')?.[1] ?? '';
}

function keyOf({ credential, accountId, key }: SealOwner): Buffer {
  return Buffer.from(hkdfSync('sha256', credential, accountId, `fanfold idempotency ${key}`, 32));
}
