import { basename } from 'node:path';
import { type FileHead, GgufError, type GgufHeader, readGgufHeaderOf } from '#engine';
import { headerOfParts, type ModelHeader } from '../gguf/model-header.ts';
import { ModelError } from '../model-error.ts';
import { requestFile, TransferError, withModelErrors, withRetries } from './hub-client.ts';
import type { ListedFile } from './hub-listing.ts';
import { checkStatus } from './hub-status.ts';
import type { TransferOptions } from './transfer-options.ts';

/** The headers of the files of a model that is at the hub, and the first bytes of each file, which have them. */
export type HubHeader = { header: ModelHeader; heads: FileHead[] };

/** Vocabularies are of very different lengths, and the header ends after them. */
const headSizes = [256 << 10, 4 << 20, 16 << 20, 64 << 20];

type HubFiles = { repo: string; commit: string; files: readonly ListedFile[] };

/** Reads the headers of GGUF files without the rest of them. Throws `ModelError` where one has none. */
export async function fetchHeader(transfer: TransferOptions, { repo, commit, files }: HubFiles): Promise<HubHeader> {
  const headers: GgufHeader[] = [];
  const heads: FileHead[] = [];
  for (const file of files) {
    const { header, head } = await fetchHead(transfer, { repo, commit, file });
    headers.push(header);
    heads.push({ name: basename(file.name), head, fileBytes: file.sizeBytes });
  }
  return {
    header: headerOfParts(
      headers,
      files.map(({ name }) => name),
    ),
    heads,
  };
}

async function fetchHead(transfer: TransferOptions, { repo, commit, file }: Omit<Piece, 'start' | 'end'>) {
  let head: Buffer = Buffer.alloc(0);
  for (const size of headSizes) {
    const end = Math.min(size, file.sizeBytes);
    const piece = await fetchPiece(transfer, { repo, commit, file, start: head.length, end });
    head = Buffer.concat([head, piece]);
    try {
      return { header: readGgufHeaderOf(head, { fileBytes: file.sizeBytes, name: basename(file.name) }), head };
    } catch (error) {
      if (!(error instanceof GgufError)) throw error;
      if (end === file.sizeBytes || size === headSizes.at(-1)) throw new ModelError(error.message, { cause: error });
    }
  }
  throw new Error('There is no size of a head. This is a bug.');
}

type Piece = { repo: string; commit: string; file: ListedFile; start: number; end: number };

function fetchPiece(transfer: TransferOptions, piece: Piece): Promise<Buffer> {
  return withModelErrors(() =>
    withRetries(
      transfer,
      () => 0,
      () => readPiece(transfer, piece),
    ),
  );
}

async function readPiece({ hub, signal }: TransferOptions, { repo, commit, file, start, end }: Piece): Promise<Buffer> {
  const answer = await requestFile(hub, { repo, file: file.name, revision: commit }, { offset: start, end, signal });
  try {
    const isPart = answer.status === 206 && answer.rangeStart === start;
    if (!isPart) checkStatus(answer, { hub, repo, file: file.name, revision: commit });
    // A store that knows no ranges sends all from the beginning.
    const skipped = isPart ? 0 : start;
    const bytes = await firstBytes(answer.body, { count: end - start + skipped, signal });
    return bytes.subarray(skipped);
  } finally {
    answer.discard();
  }
}

async function firstBytes(body: AsyncIterable<Buffer>, { count, signal }: { count: number; signal: AbortSignal }) {
  const pieces: Buffer[] = [];
  let length = 0;
  try {
    for await (const piece of body) {
      pieces.push(piece);
      length += piece.length;
      if (length >= count) break;
    }
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw new TransferError('the connection broke off', { cause: error });
  }
  if (length < count) throw new TransferError('the connection broke off');
  return Buffer.concat(pieces).subarray(0, count);
}
