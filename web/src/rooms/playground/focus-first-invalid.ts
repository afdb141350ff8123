/**
 * Focuses the first invalid field within, whose message is then read out. Tells whether there is one. It stands here, not beside the
 * one for forms: what the first view shares with other pages is loaded with all else that they share.
 */
export function focusFirstInvalid(fields: HTMLElement | null): boolean {
  const invalid = fields?.querySelector<HTMLElement>('[aria-invalid="true"]');
  invalid?.focus();
  return Boolean(invalid);
}
