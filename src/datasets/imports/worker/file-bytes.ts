import { Readable } from 'node:stream';
import type { ObjectStore } from '#objects';
import type { StoredPart } from '../import-parts.store.ts';

export function fileBytes(objects: Pick<ObjectStore, 'get'>, parts: readonly StoredPart[]): Readable {
  async function* bytes(): AsyncGenerator<Buffer> {
    for (const { key } of parts) {
      const part = await objects.get(key);
      try {
        yield* part;
      } finally {
        part.destroy();
      }
    }
  }
  return Readable.from(bytes(), { objectMode: true, highWaterMark: 4 });
}
