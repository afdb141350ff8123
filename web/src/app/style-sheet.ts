/** Applies the style sheet, which was preloaded so that it does not block the first paint. */
export function applyStyleSheet(): Promise<void> {
  const early = document.querySelector<HTMLLinkElement>('link[rel="preload"][as="style"]');
  // The development server has its own way.
  if (!early) return Promise.resolve();
  return new Promise((resolve) => {
    const sheet = document.createElement('link');
    sheet.rel = 'stylesheet';
    sheet.crossOrigin = early.crossOrigin;
    sheet.href = early.href;
    // Without it the page has no styles, but works.
    for (const end of ['load', 'error']) sheet.addEventListener(end, () => resolve());
    early.after(sheet);
  });
}
