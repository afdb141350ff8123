let ending: Promise<void> | null = null;

/** Resolves for all who ask in one turn of the event loop at its end, when everything that could be read has been read. */
export function endOfTurn(): Promise<void> {
  ending ??= new Promise((resolve) => {
    setImmediate(() => {
      ending = null;
      resolve();
    });
  });
  return ending;
}
