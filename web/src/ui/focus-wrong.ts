import type { FormEvent } from 'react';

/** For forms that were not sent: whoever sent one goes on where something is wrong, also who does not see it. */
export function focusWrong(_errors: unknown, _values: unknown, event: FormEvent<HTMLFormElement> | undefined): void {
  const form = event?.currentTarget;
  // The fields are marked when the page is painted next.
  requestAnimationFrame(() => focusFirstInvalid(form));
}

/** Focuses the first invalid field within, whose message is then read out. Tells whether there is one. */
export function focusFirstInvalid(fields: HTMLElement | null | undefined): boolean {
  const invalid = fields?.querySelector<HTMLElement>('[aria-invalid="true"]');
  invalid?.focus();
  return Boolean(invalid);
}
