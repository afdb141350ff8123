import { focusPageTitle } from './page-title.tsx';

/** Moves a lost focus to the open dialog, or to the title of the page. */
export function focusTitle(): void {
  if (document.activeElement !== document.body) return;
  const dialog = document.querySelector<HTMLElement>('[role="dialog"]');
  if (dialog) dialog.focus({ preventScroll: true });
  else focusPageTitle();
}
