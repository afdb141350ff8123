import { open } from 'node:fs/promises';

type Growing = {
  /** Whether nothing will be added any more; asked before each look, so that the last one finds everything. */
  hasEnded: () => boolean | Promise<boolean>;
  /** Resolves when it is worth to look again: after a while, or earlier. */
  pause: () => Promise<void>;
};

const pieceBytes = 256 * 1024;

/** Reads a file from its beginning while somebody still writes it. */
export async function* readGrowing(path: string, { hasEnded, pause }: Growing): AsyncGenerator<Buffer> {
  const file = await open(path, 'r');
  try {
    let at = 0;
    for (;;) {
      const isLast = await hasEnded();
      for (;;) {
        const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(pieceBytes), 0, pieceBytes, at);
        if (bytesRead === 0) break;
        at += bytesRead;
        yield buffer.subarray(0, bytesRead);
      }
      if (isLast) return;
      await pause();
    }
  } finally {
    await file.close();
  }
}
