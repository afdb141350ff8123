/** Lets a bounded number of pieces of work run at a time; the others wait in order. */
export function createTurns(most: number) {
  const waiting: (() => void)[] = [];
  let free = most;

  function next(): void {
    const start = waiting.shift();
    if (start) start();
    else free++;
  }

  return async function inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (free > 0) free--;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      next();
    }
  };
}
