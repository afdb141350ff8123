import { focusTitle } from './focus-title.ts';

/**
 * A button that works cannot be pressed, and browsers take the focus from it; it has it back when it is done, unless
 * somebody has gone on meanwhile. Where another one stands in its place then, the focus goes to the title of the page.
 */
export function keepFocusOfBusyButtons(): void {
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
