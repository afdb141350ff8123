import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';

/** SHA-256 of a file in hex, read as a stream. `onBytes` is told each piece's size. */
export async function sha256OfFile(path: string, onBytes: (bytes: number) => void = () => {}): Promise<string> {
  return (await hashFile(path, onBytes)).digest('hex');
}

/** A running SHA-256 that has taken in the whole file, so that more can follow. */
export async function hashFile(path: string, onBytes: (bytes: number) => void = () => {}): Promise<Hash> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) {
    hash.update(chunk);
    onBytes(chunk.length);
  }
  return hash;
}
