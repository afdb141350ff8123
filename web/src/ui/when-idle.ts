const longestMs = 3_000;

/** Does it when the page has nothing better to do; gives what calls that off. */
export function whenIdle(work: () => void): () => void {
  if ('requestIdleCallback' in window) {
    const idle = requestIdleCallback(work, { timeout: longestMs });
    return () => cancelIdleCallback(idle);
  }
  // Safari does not tell when it is idle.
  const timer = setTimeout(work, longestMs / 2);
  return () => clearTimeout(timer);
}
