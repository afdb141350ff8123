import { randomFillSync } from 'node:crypto';

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
