import { createCipheriv, createDecipheriv, createHmac, timingSafeEqual } from 'node:crypto';

/**
 * Signs thoughts, so that those which come back are known to be a model's own. A thought that is not shown travels within
 * its signature, encrypted, so that the model can go on from it.
 */
export type ThinkingSignatures = {
  sign: (thinking: string) => string;
  seal: (thinking: string) => string;
  /** The thought of a block; null where it was not signed here. */
  open: (block: { thinking: string; signature: string }) => string | null;
};

const signed = 'fs1.';
const sealed = 'fe1.';
const [ivBytes, tagBytes] = [12, 16];

export function createThinkingSignatures(secret: Buffer): ThinkingSignatures {
  const keyOf = (purpose: string) => createHmac('sha256', secret).update(purpose).digest();
  const signing = keyOf('sign thinking');
  const sealing = keyOf('seal thinking');
  const naming = keyOf('name sealed thinking');
  const digest = (key: Buffer, text: string) => createHmac('sha256', key).update(text).digest();

  function unseal(text: string): string | null {
    const bytes = Buffer.from(text, 'base64');
    if (bytes.length < ivBytes + tagBytes) return null;
    const decipher = createDecipheriv('aes-256-gcm', sealing, bytes.subarray(0, ivBytes));
    decipher.setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes));
    try {
      return decipher.update(bytes.subarray(ivBytes + tagBytes), undefined, 'utf8') + decipher.final('utf8');
    } catch {
      return null;
    }
  }

  return {
    sign: (thinking) => signed + digest(signing, thinking).toString('base64'),
    seal(thinking) {
      // Made of the text: no two texts share one, and none has to be kept.
      const iv = digest(naming, thinking).subarray(0, ivBytes);
      const cipher = createCipheriv('aes-256-gcm', sealing, iv);
      const bytes = Buffer.concat([cipher.update(thinking, 'utf8'), cipher.final()]);
      return sealed + Buffer.concat([iv, cipher.getAuthTag(), bytes]).toString('base64');
    },
    open({ thinking, signature }) {
      if (signature.startsWith(sealed)) return unseal(signature.slice(sealed.length));
      if (!signature.startsWith(signed)) return null;
      const given = Buffer.from(signature.slice(signed.length), 'base64');
      const wanted = digest(signing, thinking);
      return given.length === wanted.length && timingSafeEqual(given, wanted) ? thinking : null;
    },
  };
}
