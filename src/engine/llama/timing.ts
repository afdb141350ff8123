import type { Throughput } from '../port.ts';

/**
 * A guess before anything was measured. Decoding reads every weight once per token; 20 MB per ms is a slow desktop
 * memory, so the guess is rather too slow than too fast (cost bounds are built on it). Prefill runs about 5 times faster.
 */
export function guessThroughput(fileBytes: number): Throughput {
  const decodeMsPerToken = 0.5 + fileBytes / 20e6;
  return { prefillMsPerToken: decodeMsPerToken / 5, decodeMsPerToken };
}

/** Process start, native library and context, plus reading the file at 400 MB/s. */
function guessLoadMs(fileBytes: number): number {
  return 1_000 + fileBytes / 400e3;
}

/** A load that takes longer than this hangs. Slow disks and network folders are given 10 MB/s. */
function longestLoadMs(fileBytes: number): number {
  return 120_000 + fileBytes / 10e3;
}

/** Silence of a working child beyond this counts as hung: 20 times a full batch at its throughput, at least `leastMs`. */
export function longestStepMs(throughput: Throughput, batchTokens: number, leastMs: number): number {
  return Math.max(leastMs, 20 * batchTokens * throughput.prefillMsPerToken);
}

/** Time that a load still needs. When it is late already, half as long again as it has taken is the honest guess. */
export function remainingLoadMs(expectedMs: number, elapsedMs: number): number {
  return Math.max(expectedMs - elapsedMs, elapsedMs / 2);
}

/** Whole seconds, 1..59: clients ignore a longer `Retry-After`. */
export function retryAfterSeconds(waitMs: number): number {
  return Math.min(59, Math.max(1, Math.ceil(waitMs / 1000)));
}

/** Times of one model: what was measured, and until then guesses from the size of its file. */
export class ModelTimes {
  readonly #sizeOfFile: () => number;
  /** At the last load; 0: it was not loaded yet, or is not there. */
  #fileBytes = 0;
  #throughput: Throughput | null = null;
  #loadMs: number | null = null;

  constructor(sizeOfFile: () => number) {
    this.#sizeOfFile = sizeOfFile;
  }

  get #bytes(): number {
    return this.#fileBytes || this.#sizeOfFile();
  }

  get throughput(): Throughput {
    return this.#throughput ?? guessThroughput(this.#bytes);
  }

  get longestLoadMs(): number {
    return longestLoadMs(this.#bytes);
  }

  remainingLoadMs(elapsedMs: number): number {
    return remainingLoadMs(this.#loadMs ?? guessLoadMs(this.#bytes), elapsedMs);
  }

  loads(): void {
    this.#fileBytes = this.#sizeOfFile();
  }

  loaded(loadMs: number): void {
    this.#loadMs = loadMs;
  }

  measured({ prefillMsPerToken, decodeMsPerToken }: Throughput): void {
    this.#throughput = { prefillMsPerToken, decodeMsPerToken, measured: true };
  }
}

export function backOffMs(failures: number, firstMs: number): number {
  if (failures <= 0) return 0;
  return Math.min(30_000, firstMs * 2 ** Math.min(failures - 1, 20));
}

export function smooth(average: number | null, value: number): number {
  return average === null ? value : average + 0.2 * (value - average);
}

/** Some drivers crash only at certain work: after so many deaths in a row a model is loaded on the CPU. */
export const deathsBeforeCpu = 2;
