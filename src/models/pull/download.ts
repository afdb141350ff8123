import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { formatBytes } from '../list-models.ts';
import { ModelError } from '../model-error.ts';
import { type HubAnswer, type HubFile, type HubOptions, HubRefusal, requestFile, TransferError } from './hub-client.ts';
import { openPartialFile, type PartialFile, type PartialOrigin } from './partial-file.ts';
import { capitalized, checkStatus, withModelErrors, withRetries } from './transfer-errors.ts';
import { createTransferMeter, type TransferMeter, type TransferProgress } from './transfer-meter.ts';

export type DownloadOptions = {
  hub: HubOptions;
  file: HubFile;
  partialPath: string;
  /** What the file must be; null where it is not known and the hub's word counts. */
  expected: { sha256: string | null; sizeBytes: number | null };
  signal: AbortSignal;
  onProgress: (progress: TransferProgress) => void;
  onNote: (line: string) => void;
  retryDelaysMs: readonly number[];
  /** Free bytes of a folder; a parameter for tests. */
  freeBytes?: ((folder: string) => Promise<number>) | undefined;
};

export type DownloadedFile = {
  sha256: string;
  sizeBytes: number;
  commit: string | null;
  /** false: neither the catalogue nor the hub names a digest, so only the size was compared. */
  digestChecked: boolean;
};

const spareBytes = 64 << 20;

type Attempt = DownloadOptions & { partial: PartialFile; meter: TransferMeter };

/**
 * Fetches a file into `partialPath`: resumes what is there, tries again after broken transfers, and compares size and
 * digest. Throws `ModelError` (also for refusals of the hub), or the signal's reason.
 */
export async function download(options: DownloadOptions): Promise<DownloadedFile> {
  const meter = createTransferMeter(options.onProgress, () => performance.now());
  const partial = await openPartialFile(options.partialPath, (bytes) => meter.report('check', bytes));
  try {
    const attempt = { ...options, partial, meter };
    return await withModelErrors(() => withRetries(options, partial.bytes, () => fetchRest(attempt)));
  } finally {
    await partial.close();
  }
}

async function fetchRest(attempt: Attempt): Promise<DownloadedFile> {
  const resumed = attempt.partial.bytes() > 0;
  const { answer, origin, complete } = await openTransfer(attempt);
  const { facts } = answer;
  const totalBytes = facts.sizeBytes ?? answer.totalBytes;
  try {
    attempt.meter.setTotal(totalBytes);
    if (!complete) {
      await checkRoom(attempt, totalBytes);
      await copyBody(attempt, answer, totalBytes);
    }
  } finally {
    answer.discard();
  }
  await attempt.partial.sync();
  const sizeBytes = attempt.partial.bytes();
  const sha256 = attempt.partial.digest();
  if (origin.sha256 !== null && sha256 !== origin.sha256)
    await refuseDigest(attempt.partial, { sha256, origin, resumed });
  return { sha256, sizeBytes, commit: facts.commit, digestChecked: origin.sha256 !== null };
}

type WrongDigest = { sha256: string; origin: PartialOrigin; resumed: boolean };

async function refuseDigest(partial: PartialFile, { sha256, origin, resumed }: WrongDigest): Promise<never> {
  const message = `the file's digest is ${sha256}, not ${origin.sha256}`;
  // The part from before may have been of another file; a transfer from the start settles it.
  if (resumed) {
    await partial.restart(origin);
    throw new TransferError(message);
  }
  await partial.remove();
  throw new ModelError(`${capitalized(message)}; nothing was installed.`);
}

type Transfer = { answer: HubAnswer; origin: PartialOrigin; complete: boolean };

/**
 * Requests what is missing. Afterwards the partial file ends where the answer's body begins, or is complete: a process
 * that died after the last byte left it so, and the hub says 416.
 */
async function openTransfer(attempt: Attempt): Promise<Transfer> {
  const { partial, expected, hub, file, signal } = attempt;
  const address = `${hub.endpoint} ${file.repo} ${file.revision} ${file.file}`;
  const known = partial.origin();
  const offset = isResumable(known, address) ? partial.bytes() : 0;
  const answer = await requestFile(hub, file, { offset, etag: known?.etag ?? null, signal });
  try {
    const origin: PartialOrigin = { address, sha256: answer.facts.sha256 ?? expected.sha256, etag: answer.etag };
    const complete = answer.status === 416 && answer.facts.sizeBytes === offset;
    const goesOn = complete || (answer.status === 206 && answer.rangeStart === offset);
    if (offset > 0 && goesOn && isSameFile(known, origin)) {
      checkExpected(answer, expected);
      return { answer, origin, complete };
    }
    if (answer.status === 206 || (answer.status === 416 && offset > 0)) {
      await partial.restart(origin);
      throw new TransferError('the hub has not the part of the file that was asked for');
    }
    checkStatus(answer, { hub, name: `${file.repo}/${file.file}`, revision: file.revision });
    checkExpected(answer, expected);
    await partial.restart(origin);
    return { answer, origin, complete: false };
  } catch (error) {
    answer.discard();
    throw error;
  }
}

/** Whether the rest of a part can be asked for: something must tell whether the file is still the same. */
function isResumable(known: PartialOrigin | null, address: string): boolean {
  return known?.address === address && (known.sha256 !== null || known.etag !== null);
}

function isSameFile(known: PartialOrigin | null, { sha256, etag }: PartialOrigin): boolean {
  return known?.sha256 === sha256 && (sha256 !== null || known.etag === etag);
}

function checkExpected(answer: HubAnswer, expected: DownloadOptions['expected']): void {
  const { sha256, sizeBytes } = answer.facts;
  if (expected.sha256 !== null && sha256 !== null && sha256 !== expected.sha256) {
    throw new HubRefusal(`the hub has another file than the catalogue: digest ${sha256}, not ${expected.sha256}.`);
  }
  const totalBytes = sizeBytes ?? answer.totalBytes;
  if (expected.sizeBytes !== null && totalBytes !== null && totalBytes !== expected.sizeBytes) {
    throw new HubRefusal(
      `the hub has another file than the catalogue: ${totalBytes} bytes, not ${expected.sizeBytes}.`,
    );
  }
}

async function checkRoom(attempt: Attempt, totalBytes: number | null): Promise<void> {
  const missing = (totalBytes ?? 0) - attempt.partial.bytes();
  await checkFreeBytes(dirname(attempt.partialPath), missing, attempt.freeBytes);
}

/** Throws `ModelError` where the folder's disk has too little room for what is missing. */
export async function checkFreeBytes(
  folder: string,
  missing: number,
  freeBytes: DownloadOptions['freeBytes'],
): Promise<void> {
  const free = await (freeBytes ?? freeBytesOf)(folder);
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

async function copyBody(attempt: Attempt, answer: HubAnswer, totalBytes: number | null): Promise<void> {
  const { partial, meter, signal } = attempt;
  meter.report('download', partial.bytes(), true);
  const chunks = answer.body[Symbol.asyncIterator]();
  for (;;) {
    const next = await chunks.next().catch((error: unknown) => {
      if (signal.aborted) throw signal.reason;
      throw new TransferError('the connection broke off', { cause: error });
    });
    if (next.done) break;
    if (totalBytes !== null && partial.bytes() + next.value.length > totalBytes) {
      await partial.remove();
      throw new HubRefusal(`the hub sent more than the ${totalBytes} bytes it announced.`);
    }
    await partial.append(next.value);
    meter.report('download', partial.bytes());
  }
  meter.report('download', partial.bytes(), true);
  if (totalBytes !== null && partial.bytes() < totalBytes) throw new TransferError('the connection broke off');
}
