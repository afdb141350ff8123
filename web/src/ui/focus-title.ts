import { focusPageTitle } from './page-title.tsx';

/** Where the focus is nowhere, because what had it is gone: to what is open, or to the title of the page. */
export function focusTitle(): void {
  if (document.activeElement !== document.body) return;
  const dialog = document.querySelector<HTMLElement>('[role="dialog"]');
  if (dialog) dialog.focus({ preventScroll: true });
  else focusPageTitle();
}
