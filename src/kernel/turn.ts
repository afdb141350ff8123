/** Resolves at the end of this turn of the event loop, for all who ask in it at once. */
export type EndOfTurn = () => Promise<void>;

/** By then everything that could be read in the turn has been read. Whoever asks first goes before what is sent to the database then. */
export function createEndOfTurn(): EndOfTurn {
  let ending: Promise<void> | null = null;
  return () => {
    ending ??= new Promise((resolve) => {
      setImmediate(() => {
        ending = null;
        resolve();
      });
    });
    return ending;
  };
}
