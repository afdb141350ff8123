/** The code by which a thrown value names its error (`ENOENT`, `ECONNRESET`, ...); null where it has none. */
export function systemCodeOf(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;
}

/** A disk takes no more, or no more of this user. */
export function isStorageFull(error: unknown): boolean {
  return ['ENOSPC', 'EDQUOT'].includes(systemCodeOf(error) ?? '');
}
