import { PassThrough, type Readable } from 'node:stream';
import { ZipFile } from 'yazl';

export type PackedFile = { name: string; sizeBytes: number; open: () => Promise<Readable> };

/** The first day that a ZIP archive can name. */
const noDate = new Date(1980, 0, 1);

/**
 * A ZIP archive as a stream. Nothing is compressed (weights do not get smaller) and nothing depends on when or where it is made, so the same
 * files give the same bytes: an archive that is made twice has one digest, and a download can go on where it stopped.
 */
export function packFiles(files: readonly PackedFile[]): Readable {
  const zip = new ZipFile();
  const output = new PassThrough();
  const fail = (cause: unknown) => output.destroy(cause instanceof Error ? cause : new Error(String(cause)));
  zip.on('error', fail);
  for (const { name, sizeBytes, open } of files) {
    const options = { mtime: noDate, mode: 0o100644, compress: false, forceDosTimestamp: true, size: sizeBytes };
    zip.addReadStreamLazy(name, options, (give) => {
      open().then((stream) => {
        // A pipe does not pass errors on.
        stream.on('error', fail);
        output.on('close', () => stream.destroy());
        give(null, stream);
      }, fail);
    });
  }
  zip.end();
  zip.outputStream.on('error', fail);
  zip.outputStream.pipe(output);
  return output;
}
