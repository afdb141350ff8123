const parts = 8;

/**
 * Calls back after so long, and calls it off with what it returns. The time goes by in parts, and what has come is read after each of them:
 * while this process stood still itself, an answer may have come that nobody has read, so that counts for one part at most.
 */
export function afterPatience(ms: number, isOver: () => void): () => void {
  let left = parts;
  const goOn = () => {
    left -= 1;
    if (left === 0) isOver();
    else timer = wait();
  };
  const wait = () => setTimeout(goOn, ms / parts).unref();
  let timer = wait();
  return () => clearTimeout(timer);
}
