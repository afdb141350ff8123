import type { FormEvent } from 'react';

/** For forms that were not sent: whoever sent one goes on where something is wrong, also who does not see it. */
export function focusWrong(_errors: unknown, _values: unknown, event: FormEvent<HTMLFormElement> | undefined): void {
  const form = event?.currentTarget;
  // The fields are marked when the page is painted next.
  requestAnimationFrame(() => form?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
}
