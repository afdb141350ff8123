/** Applies the style sheet, which came beside the page without keeping it from being painted. */
export function applyStyleSheet(): Promise<void> {
  const early = document.querySelector<HTMLLinkElement>('link[rel="preload"][as="style"]');
  // The development server has its own way.
  if (!early) return Promise.resolve();
  return new Promise((resolve) => {
    const sheet = document.createElement('link');
    sheet.rel = 'stylesheet';
    sheet.crossOrigin = early.crossOrigin;
    sheet.href = early.href;
    // Without it the page is bare, but it can be used.
    for (const end of ['load', 'error']) sheet.addEventListener(end, () => resolve());
    early.after(sheet);
  });
}
