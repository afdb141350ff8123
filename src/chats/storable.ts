import { fault } from '#kernel';

/** Refuses what PostgreSQL cannot store as text: a NUL, half of a surrogate pair. Throws `invalid_request`. */
export function checkStorable(text: string, param: string): string {
  if (!text.includes('\0') && text.isWellFormed()) return text;
  throw fault('invalid_request', {
    message: `${param}: holds a NUL character or half of a surrogate pair.`,
    param,
  });
}

/** What a model said, without what cannot be stored. */
export function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '');
}
