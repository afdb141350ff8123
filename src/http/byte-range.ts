/** Bytes of a whole, from `start` to `end`, both included. */
export type ByteRange = { start: number; end: number };

/**
 * Reads a `ByteRange` header (RFC 9110 14.2). Null: the whole is to be sent, as for several ranges at once, which nobody needs
 * here; `unsatisfiable`: no byte of it is there.
 */
export function readRange(header: string | undefined, size: number): ByteRange | null | 'unsatisfiable' {
  const match = /^bytes=(\d*)-(\d*)$/i.exec(header?.trim() ?? '');
  if (!match) return null;
  const [, from = '', to = ''] = match;
  if (from === '' && to === '') return null;
  if (from === '') {
    const last = Number(to);
    return last === 0 || size === 0 ? 'unsatisfiable' : { start: Math.max(0, size - last), end: size - 1 };
  }
  const start = Number(from);
  if (to !== '' && Number(to) < start) return null;
  if (start >= size) return 'unsatisfiable';
  return { start, end: to === '' ? size - 1 : Math.min(size - 1, Number(to)) };
}
