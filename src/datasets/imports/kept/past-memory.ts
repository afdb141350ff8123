import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

/*
 * A gigabyte that is written and read once costs more to pass through the system's memory than to make, above all on a virtual
 * machine that gets this memory from its host anew (docs/adr/0012-import-readers.md). Past it go whole blocks, between memory and
 * places in the file that begin at a block, too.
 */
export const blockBytes = 4_096;
const wasmPageBytes = 65_536;

export function wholeBlocks(bytes: number): number {
  return Math.ceil(bytes / blockBytes) * blockBytes;
}

/** Memory that begins at a block; null: there is none. */
export function blockMemory(bytes: number): Buffer<ArrayBuffer> | null {
  try {
    // Of what can be allocated here, only WebAssembly's begins at a page of the system.
    return Buffer.from(new WebAssembly.Memory({ initial: Math.ceil(bytes / wasmPageBytes) }).buffer, 0, bytes);
  } catch {
    return null;
  }
}

/**
 * Opens a file that is there past the system's memory; null where its file system, or this memory, does not allow for it.
 * `attempt` writes or reads a block to see that.
 */
export async function openPastMemory(
  file: string,
  flags: number,
  attempt: (handle: FileHandle) => Promise<unknown>,
): Promise<FileHandle | null> {
  // Linux only.
  if (!constants.O_DIRECT) return null;
  const handle = await open(file, flags | constants.O_DIRECT).catch(() => null);
  try {
    if (handle) await attempt(handle);
    return handle;
  } catch {
    await handle?.close();
    return null;
  }
}
