import { fault } from '#kernel';

/** Which bytes of the file a request brings; `end` is not included. Empty: it only queries what has arrived. */
export type ContentRange = { start: number; end: number };

/** Reads `Content-Range: bytes 0-99/1000` or `bytes *\/1000`; without it, the request brings the whole file. */
export function readContentRange(
  headers: { 'content-range'?: string | undefined; 'content-length'?: string | undefined },
  sizeBytes: number,
): ContentRange {
  const text = headers['content-range'];
  const length = headers['content-length'] === undefined ? null : Number(headers['content-length']);
  if (text === undefined) {
    if (length !== null && length !== sizeBytes) throw wrongSize(length, sizeBytes);
    return { start: 0, end: sizeBytes };
  }
  const [, first, last, total] = /^bytes (?:(\d{1,15})-(\d{1,15})|\*)\/(\d{1,15}|\*)$/i.exec(text.trim()) ?? [];
  if (total === undefined) throw badRange('Expected "bytes FIRST-LAST/SIZE" or "bytes */SIZE".');
  if (total !== '*' && Number(total) !== sizeBytes) throw wrongSize(Number(total), sizeBytes);
  if (first === undefined || last === undefined) return { start: 0, end: 0 };
  const range = { start: Number(first), end: Number(last) + 1 };
  // An empty range at the end of the file: a client that continues an upload may send it when nothing is missing.
  const isEmptyRest = range.start === sizeBytes && range.end === sizeBytes;
  if ((range.start >= range.end && !isEmptyRest) || range.end > sizeBytes)
    throw badRange(`Expected a range within the ${sizeBytes} bytes of the file.`);
  if (length !== null && length !== range.end - range.start)
    throw badRange(`The range has ${range.end - range.start} bytes, the body ${length}.`);
  return range;
}

function badRange(message: string) {
  return fault('invalid_request', { message: `Content-Range: ${message}`, param: 'Content-Range' });
}

export function wrongSize(actual: number, sizeBytes: number) {
  return fault('invalid_request', {
    message: `size_bytes: the import was made for ${sizeBytes} bytes, not for ${actual}.`,
    param: 'size_bytes',
    details: { limit: sizeBytes, actual },
  });
}
