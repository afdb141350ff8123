import { createHmac, timingSafeEqual } from 'node:crypto';
import { createTextSeal } from '#kernel';

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

export function createThinkingSignatures(secret: Buffer): ThinkingSignatures {
  const sealing = createTextSeal(secret, 'thinking');
  const key = createHmac('sha256', secret).update('sign thinking').digest();
  const digest = (text: string) => createHmac('sha256', key).update(text).digest();

  return {
    sign: (thinking) => signed + digest(thinking).toString('base64'),
    seal: (thinking) => sealed + sealing.seal(thinking),
    open({ thinking, signature }) {
      if (signature.startsWith(sealed)) return sealing.open(signature.slice(sealed.length));
      if (!signature.startsWith(signed)) return null;
      const given = Buffer.from(signature.slice(signed.length), 'base64');
      const expected = digest(thinking);
      return given.length === expected.length && timingSafeEqual(given, expected) ? thinking : null;
    },
  };
}
