import { fault, isStorable } from '#kernel';

/** Refuses what PostgreSQL cannot store as text: a NUL, half of a surrogate pair. Throws `invalid_request`. */
export function checkStorable(text: string, param: string): string {
  if (isStorable(text)) return text;
  throw fault('invalid_request', {
    message: `${param}: holds a NUL character or half of a surrogate pair.`,
    param,
  });
}
