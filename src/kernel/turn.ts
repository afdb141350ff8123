/** Resolves at the end of this turn of the event loop, for all who ask in it at once. */
export type EndOfTurn = () => Promise<void>;

/**
 * Resolves after the poll phase, when all requests that were readable in this turn have been read. Asked for before a
 * statement of a batcher (`#db`), it resolves before that statement is sent.
 */
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
