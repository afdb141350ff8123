/** Logs a repeated failure when it begins, from time to time while it lasts, and when it is over. */
export type Outage<Failure> = {
  fails: (failure: Failure) => void;
  works: () => void;
};

export type OutageOptions<Failure> = {
  /** `omitted` further failures since the last line have no line of their own. */
  log: (failure: Failure, omitted: number) => void;
  /** After so many failures in all. */
  logEnd: (failures: number) => void;
  nowMs?: () => number;
};

/** Who reads the log later sees that it still lasts. */
const repeatMs = 10 * 60_000;

export function createOutage<Failure>(options: OutageOptions<Failure>): Outage<Failure> {
  const { log, logEnd, nowMs = () => performance.now() } = options;
  let [failures, loggedMs, omitted] = [0, 0, 0];
  return {
    fails(failure) {
      failures += 1;
      if (failures > 1 && nowMs() - loggedMs < repeatMs) {
        omitted += 1;
        return;
      }
      log(failure, omitted);
      [loggedMs, omitted] = [nowMs(), 0];
    },
    works() {
      if (failures > 0) logEnd(failures);
      [failures, omitted] = [0, 0];
    },
  };
}
