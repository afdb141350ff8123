import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from 'node:crypto';

/** Turns reasoning into text that only this installation reads, for clients that keep a conversation themselves. */
export type ReasoningSeal = {
  seal: (text: string) => string;
  /** null for whatever `seal` did not make. */
  open: (sealed: string) => string | null;
};

const cipher = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;
/** Of the encoding, so that another one can be told from it. */
const version = 1;

/** @param secret at least 32 random bytes, the same on every replica. */
export function createReasoningSeal(secret: Buffer): ReasoningSeal {
  const derived = (purpose: string) => Buffer.from(hkdfSync('sha256', secret, '', `responses/${purpose}`, 32));
  const key = derived('reasoning');
  const nonceKey = derived('reasoning nonce');
  return {
    seal(text) {
      const plain = Buffer.from(text);
      // Made from the text: what is streamed and what is kept of it are the same, and no nonce has two texts.
      const nonce = createHmac('sha256', nonceKey).update(plain).digest().subarray(0, nonceBytes);
      const sealing = createCipheriv(cipher, key, nonce);
      const body = Buffer.concat([sealing.update(plain), sealing.final()]);
      return Buffer.concat([Buffer.of(version), nonce, sealing.getAuthTag(), body]).toString('base64');
    },
    open(sealed) {
      const bytes = Buffer.from(sealed, 'base64');
      const start = 1 + nonceBytes + tagBytes;
      if (bytes[0] !== version || bytes.length < start) return null;
      const opening = createDecipheriv(cipher, key, bytes.subarray(1, 1 + nonceBytes));
      opening.setAuthTag(bytes.subarray(1 + nonceBytes, start));
      try {
        return Buffer.concat([opening.update(bytes.subarray(start)), opening.final()]).toString();
      } catch {
        return null;
      }
    },
  };
}
