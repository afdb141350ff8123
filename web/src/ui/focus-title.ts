/** Where the focus is nowhere, because what had it is gone: to what is open, or to the title of the page. */
export function focusTitle(): void {
  if (document.activeElement !== document.body) return;
  const place =
    document.querySelector<HTMLElement>('[role="dialog"]') ?? document.querySelector<HTMLElement>('main h1');
  place?.focus({ preventScroll: true });
}
