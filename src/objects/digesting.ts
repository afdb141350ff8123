import { createHash } from 'node:crypto';
import { Transform } from 'node:stream';
import type { StoredObject } from './object-store.ts';

/** Passes bytes on and counts and digests them on the way. */
export function digesting(): { through: Transform; result: () => StoredObject } {
  const hash = createHash('sha256');
  let bytes = 0;
  const through = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      bytes += chunk.length;
      done(null, chunk);
    },
  });
  return { through, result: () => ({ bytes, sha256: hash.digest('hex') }) };
}
