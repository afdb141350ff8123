import { focusTitle } from './focus-title.ts';

/**
 * Browsers take the focus from disabled buttons. A busy button gets it back, unless the user has moved on; if it is
 * gone, the title of the page gets it.
 */
export function restoreFocusOfBusyButtons(): void {
  let busy: HTMLElement | null = null;
  const done = new MutationObserver(() => {
    if (busy?.isConnected && busy.hasAttribute('data-loading')) return;
    done.disconnect();
    if (document.activeElement === document.body) busy?.focus({ preventScroll: true });
    if (!busy?.isConnected) focusTitle();
    busy = null;
  });
  new MutationObserver((changes) => {
    const { activeElement } = document;
    if (!(activeElement instanceof HTMLElement) || !activeElement.hasAttribute('data-loading')) return;
    if (!changes.some(({ target }) => target === activeElement)) return;
    busy = activeElement;
    done.observe(document, { subtree: true, childList: true, attributeFilter: ['data-loading'] });
  }).observe(document, { subtree: true, attributeFilter: ['data-loading'] });
}
