import { PassThrough, type Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { ZipFile } from 'yazl';
import type { Entry } from './entries.ts';

/**
 * A ZIP archive as a stream, made as fast as it is read: the next file is opened when the one before has been written. Whoever
 * destroys the stream ends the work. `onEnd` is called once, before the end of the archive is written
 * or after it failed.
 */
export function streamArchive(entries: AsyncGenerator<Entry>, { onEnd }: { onEnd: () => Promise<void> }): Readable {
  const zip = new ZipFile();
  const output = new PassThrough();
  const fail = (cause: unknown) => output.destroy(cause instanceof Error ? cause : new Error(String(cause)));
  zip.on('error', fail);
  zip.outputStream.on('error', fail);
  zip.outputStream.pipe(output);
  write(zip, { entries, output })
    .finally(onEnd)
    .then(() => void zip.end(), fail);
  return output;
}

async function write(
  zip: ZipFile,
  { entries, output }: { entries: AsyncGenerator<Entry>; output: PassThrough },
): Promise<void> {
  const closed = new AbortController();
  output.once('close', () => closed.abort());
  for await (const { name, isPacked, open } of entries) {
    closed.signal.throwIfAborted();
    const content = await open();
    if (!content) continue;
    closed.signal.addEventListener('abort', () => content.destroy(), { once: true });
    // Large files may be in it, and what is packed already does not get smaller.
    zip.addReadStream(content, name, { compress: !isPacked, mode: 0o100644, forceZip64Format: true });
    await finished(content, { writable: false });
  }
  closed.signal.throwIfAborted();
}
