import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from 'node:crypto';

const cipher = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

/** Encrypts what only holders of a secret may read, and nobody may change. */
export type Seal = {
  seal: (plain: Buffer) => Buffer;
  /** Null for whatever `seal` did not make. */
  open: (sealed: Buffer) => Buffer | null;
};

/** @param purpose what is sealed for one purpose is not opened for another one. */
export function createSeal(secret: Buffer | string, purpose: string): Seal {
  const derived = Buffer.from(hkdfSync('sha256', secret, '', `fanfold ${purpose}`, 64));
  const [key, nonceKey] = [derived.subarray(0, 32), derived.subarray(32)];
  return {
    seal(plain) {
      // Made from the content: the same is sealed to the same, and no nonce has two contents.
      const nonce = createHmac('sha256', nonceKey).update(plain).digest().subarray(0, nonceBytes);
      const encryption = createCipheriv(cipher, key, nonce);
      const body = Buffer.concat([encryption.update(plain), encryption.final()]);
      return Buffer.concat([nonce, encryption.getAuthTag(), body]);
    },
    open(sealed) {
      if (sealed.length < nonceBytes + tagBytes) return null;
      const decryption = createDecipheriv(cipher, key, sealed.subarray(0, nonceBytes));
      decryption.setAuthTag(sealed.subarray(nonceBytes, nonceBytes + tagBytes));
      try {
        return Buffer.concat([decryption.update(sealed.subarray(nonceBytes + tagBytes)), decryption.final()]);
      } catch {
        return null;
      }
    },
  };
}

/** The same for text, as base64url. */
export type TextSeal = { seal: (text: string) => string; open: (sealed: string) => string | null };

export function createTextSeal(secret: Buffer | string, purpose: string): TextSeal {
  const { seal, open } = createSeal(secret, purpose);
  return {
    seal: (text) => seal(Buffer.from(text)).toString('base64url'),
    open: (sealed) => open(Buffer.from(sealed, 'base64url'))?.toString() ?? null,
  };
}
