const longestMs = 3_000;

/** Runs when the browser is idle; returns a function that cancels it. */
export function whenIdle(work: () => void): () => void {
  if ('requestIdleCallback' in window) {
    const idle = requestIdleCallback(work, { timeout: longestMs });
    return () => cancelIdleCallback(idle);
  }
  // Safari has no idle callback.
  const timer = setTimeout(work, longestMs / 2);
  return () => clearTimeout(timer);
}
