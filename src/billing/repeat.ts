/**
 * Does `work` now and again `pauseMs` after each end, without keeping the process alive.
 *
 * @param work must not reject.
 * @returns ends the repetition; resolves when the last `work` is over.
 */
export function repeat(pauseMs: number, work: () => Promise<void>): () => Promise<void> {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let current = Promise.resolve();

  function turn(): void {
    current = work().then(() => {
      if (!stopped) timer = setTimeout(turn, pauseMs).unref();
    });
  }

  turn();
  return async () => {
    stopped = true;
    clearTimeout(timer);
    await current;
  };
}
