/**
 * Focuses the first invalid field, whose message is then read out. Separate from `focusInvalidField`, which would be loaded
 * with all that forms share.
 */
export function focusFirstInvalid(fields: HTMLElement | null): boolean {
  const invalid = fields?.querySelector<HTMLElement>('[aria-invalid="true"]');
  invalid?.focus();
  return Boolean(invalid);
}
