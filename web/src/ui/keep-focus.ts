/**
 * A button that works cannot be pressed, and browsers take the focus from it; it has it back when it is done, unless
 * somebody has gone on meanwhile.
 */
export function keepFocusOfBusyButtons(): void {
  let busy: HTMLElement | null = null;
  new MutationObserver((changes) => {
    for (const { target } of changes) {
      if (!(target instanceof HTMLElement)) continue;
      if (target.hasAttribute('data-loading')) {
        if (target === document.activeElement) busy = target;
      } else if (target === busy) {
        busy = null;
        if (document.activeElement === document.body) target.focus({ preventScroll: true });
      }
    }
  }).observe(document, { subtree: true, attributeFilter: ['data-loading'] });
}
