import { type FileHandle, open } from 'node:fs/promises';

type Following = {
  /** Whether nothing will be added any more; called before each read, so that the last one finds everything. */
  hasEnded: () => Promise<boolean>;
  /** Resolves when it is worth to read again. */
  pause: () => Promise<void>;
};

const pieceBytes = 256 * 1024;

/** Reads a file from its beginning while another process writes it: the first of these paths that there is, also later. */
export async function* followFile(
  paths: readonly string[],
  { hasEnded, pause }: Following,
): AsyncGenerator<Buffer, void, undefined> {
  let file: FileHandle | null = null;
  try {
    for (let position = 0; ; ) {
      const isLast = await hasEnded();
      for (const path of paths) file ??= await open(path, 'r').catch(() => null);
      for (let piece = await read(file, position); piece.length > 0; piece = await read(file, position)) {
        position += piece.length;
        yield piece;
      }
      if (isLast) return;
      await pause();
    }
  } finally {
    await file?.close();
  }
}

async function read(file: FileHandle | null, position: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(pieceBytes);
  const bytes = (await file?.read(buffer, 0, pieceBytes, position))?.bytesRead ?? 0;
  return buffer.subarray(0, bytes);
}
