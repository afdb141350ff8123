import type { FormEvent } from 'react';

/** Focuses the first invalid field of a form that was not sent. */
export function focusInvalidField(
  _errors: unknown,
  _values: unknown,
  event: FormEvent<HTMLFormElement> | undefined,
): void {
  const form = event?.currentTarget;
  // Fields are marked invalid in the next render.
  requestAnimationFrame(() => form?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
}
