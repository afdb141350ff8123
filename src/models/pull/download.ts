import { createHash } from 'node:crypto';
import { createReadStream, statSync } from 'node:fs';
import { open, rename, rm, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { formatBytes } from '../list-models.ts';
import { ModelError } from '../model-error.ts';
import {
  capitalized,
  type HubAnswer,
  type HubOptions,
  HubRefusal,
  requestFile,
  TransferError,
  withModelErrors,
  withRetries,
} from './hub-client.ts';
import type { ListedFile } from './hub-listing.ts';
import { checkStatus } from './hub-status.ts';
import { createTransferMeter, type TransferMeter, type TransferProgress } from './transfer-meter.ts';

export type DownloadOptions = {
  hub: HubOptions;
  repo: string;
  /** Files of a commit never change, so that a part of one can always be completed. */
  commit: string;
  file: ListedFile;
  path: string;
  /** Of a transfer of several files: bytes of the files before this one, and of all. */
  whole?: { bytesBefore: number; totalBytes: number } | undefined;
  signal: AbortSignal;
  onProgress: (progress: TransferProgress) => void;
  onNote: (line: string) => void;
  retryDelaysMs: readonly number[];
  /** Free bytes of a folder; a parameter for tests. */
  freeBytes?: ((folder: string) => Promise<number>) | undefined;
};

const spareBytes = 64 << 20;

/**
 * Fetches a file of the hub to `path`: resumes the part that is there, tries again after broken transfers, and compares
 * the digest. Throws `ModelError` (also for refusals of the hub), or the signal's reason.
 */
export async function download(options: DownloadOptions): Promise<void> {
  const { file, path, commit } = options;
  const partialPath = partialPathOf(path, commit);
  const whole = options.whole ?? { bytesBefore: 0, totalBytes: file.sizeBytes };
  const meter = createTransferMeter(options.onProgress, () => performance.now(), whole);
  const attempt = { ...options, partialPath, meter };
  await withModelErrors(() =>
    withRetries(
      options,
      () => bytesIn(partialPath),
      () => complete(attempt),
    ),
  );
  await rename(partialPath, path);
}

export function partialPathOf(path: string, commit: string): string {
  return `${path}.${commit.slice(0, 12)}.partial`;
}

export function bytesIn(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

type Attempt = DownloadOptions & { partialPath: string; meter: TransferMeter };

async function complete(attempt: Attempt): Promise<void> {
  const { file, partialPath, meter } = attempt;
  const offset = bytesIn(partialPath);
  if (offset !== file.sizeBytes) await fetchFrom(attempt, offset);
  const digest = await digestOf(partialPath, file, (bytes) => meter.report('check', bytes, bytes === file.sizeBytes));
  if (digest === file.digest.value) return;
  await rm(partialPath, { force: true });
  const message = `the digest of ${file.name} is ${digest}, not ${file.digest.value}`;
  // The part from before may have been damaged on disk; a transfer from the start settles it.
  if (offset > 0) throw new TransferError(message);
  throw new ModelError(`${capitalized(message)}; nothing was installed.`);
}

async function fetchFrom(attempt: Attempt, offset: number): Promise<void> {
  const { hub, repo, commit, file, partialPath, signal } = attempt;
  await checkFreeBytes(dirname(partialPath), file.sizeBytes - offset, attempt.freeBytes);
  const answer = await requestFile(hub, { repo, file: file.name, revision: commit }, { offset, end: null, signal });
  try {
    const { status, rangeStart } = answer;
    if (status === 416 || (status === 206 && rangeStart !== offset)) {
      await rm(partialPath, { force: true });
      throw new TransferError('the hub has not the requested part of the file');
    }
    if (status !== 206) checkStatus(answer, { hub, repo, file: file.name, revision: commit });
    await copyBody(attempt, answer, status === 206 ? offset : 0);
  } finally {
    answer.discard();
  }
}

async function copyBody({ file, partialPath, meter, signal }: Attempt, answer: HubAnswer, from: number): Promise<void> {
  const handle = await open(partialPath, from > 0 ? 'a' : 'w', 0o600);
  let bytes = from;
  meter.report('download', bytes, true);
  try {
    const chunks = answer.body[Symbol.asyncIterator]();
    for (;;) {
      const next = await chunks.next().catch((error: unknown) => {
        if (signal.aborted) throw signal.reason;
        throw new TransferError('the connection broke off', { cause: error });
      });
      if (next.done) break;
      bytes += next.value.length;
      if (bytes > file.sizeBytes) {
        await rm(partialPath, { force: true });
        throw new HubRefusal(`the hub sent more than the ${file.sizeBytes} bytes it announced.`);
      }
      await handle.appendFile(next.value);
      meter.report('download', bytes);
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
  meter.report('download', bytes, true);
  if (bytes < file.sizeBytes) throw new TransferError('the connection broke off');
}

/** Whether the listed file lies at `path`, whole. */
export async function isListed(path: string, file: ListedFile): Promise<boolean> {
  return bytesIn(path) === file.sizeBytes && (await digestOf(path, file).catch(() => null)) === file.digest.value;
}

async function digestOf(path: string, { digest, sizeBytes }: ListedFile, onBytes?: (bytes: number) => void) {
  const hash = createHash(digest.algorithm === 'git' ? 'sha1' : 'sha256');
  if (digest.algorithm === 'git') hash.update(`blob ${sizeBytes}\0`);
  let bytes = 0;
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) {
    hash.update(chunk);
    bytes += chunk.length;
    onBytes?.(bytes);
  }
  return hash.digest('hex');
}

/** Throws `ModelError` where the folder's disk has too little room for what is missing. */
export async function checkFreeBytes(
  folder: string,
  missing: number,
  freeBytes: DownloadOptions['freeBytes'] = freeBytesOf,
): Promise<void> {
  const free = await freeBytes(folder);
  if (missing + spareBytes > free) {
    throw new ModelError(
      `There is too little room in ${folder}: ${formatBytes(missing)} are to come and ${formatBytes(free)} are free.`,
    );
  }
}

async function freeBytesOf(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}
