/** Tells of a trouble that shows itself again and again: when it begins, from time to time while it lasts, and when it is over. */
export type Outage<Trouble> = {
  fails: (trouble: Trouble) => void;
  works: () => void;
};

export type OutageOptions<Trouble> = {
  /** `alike` further ones since the last line have no line of their own. */
  tell: (trouble: Trouble, alike: number) => void;
  /** After so many failures in all. */
  tellEnd: (failures: number) => void;
  nowMs?: () => number;
};

/** Who reads the log later sees that it still lasts. */
const againMs = 10 * 60_000;

export function createOutage<Trouble>(options: OutageOptions<Trouble>): Outage<Trouble> {
  const { tell, tellEnd, nowMs = () => performance.now() } = options;
  let [failures, toldMs, untold] = [0, 0, 0];
  return {
    fails(trouble) {
      failures += 1;
      if (failures > 1 && nowMs() - toldMs < againMs) {
        untold += 1;
        return;
      }
      tell(trouble, untold);
      [toldMs, untold] = [nowMs(), 0];
    },
    works() {
      if (failures > 0) tellEnd(failures);
      [failures, untold] = [0, 0];
    },
  };
}
