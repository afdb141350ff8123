import { formatBytes } from '../list-models.ts';

export type TransferProgress = {
  /** `check`: an earlier part of the file is read again before the rest is fetched. */
  phase: 'check' | 'download';
  receivedBytes: number;
  totalBytes: number | null;
  /** Over the last few seconds. */
  bytesPerSecond: number;
  etaSeconds: number | null;
};

export type TransferMeter = {
  /** Tells the listener, at most every 200 ms unless `now` is set. */
  report: (phase: TransferProgress['phase'], receivedBytes: number, now?: boolean) => void;
  setTotal: (bytes: number | null) => void;
};

const windowMs = 5_000;
const reportEveryMs = 200;

export function createTransferMeter(
  onProgress: (progress: TransferProgress) => void,
  monotonicMs: () => number,
): TransferMeter {
  let samples: Sample[] = [];
  let totalBytes: number | null = null;
  let phaseSeen: TransferProgress['phase'] | null = null;
  let nextReportMs = Number.NEGATIVE_INFINITY;

  return {
    setTotal(bytes) {
      totalBytes = bytes;
    },
    report(phase, receivedBytes, now = false) {
      const atMs = monotonicMs();
      const last = samples.at(-1);
      // A new phase or a restart begins a new measurement.
      if (phase !== phaseSeen || (last && receivedBytes < last.bytes)) samples = [];
      phaseSeen = phase;
      if (!now && samples.length > 0 && atMs < nextReportMs) return;
      nextReportMs = atMs + reportEveryMs;
      samples.push({ atMs, bytes: receivedBytes });
      while (samples.length > 2 && atMs - (samples[0]?.atMs ?? atMs) > windowMs) samples.shift();
      const bytesPerSecond = rateOf(samples);
      const etaSeconds = totalBytes === null ? null : secondsFor(totalBytes - receivedBytes, bytesPerSecond);
      onProgress({ phase, receivedBytes, totalBytes, bytesPerSecond, etaSeconds });
    },
  };
}

type Sample = { atMs: number; bytes: number };

function rateOf(samples: readonly Sample[]): number {
  const [first] = samples;
  const last = samples.at(-1);
  if (!first || !last || last.atMs <= first.atMs) return 0;
  return (last.bytes - first.bytes) / ((last.atMs - first.atMs) / 1000);
}

function secondsFor(bytes: number, bytesPerSecond: number): number | null {
  return bytesPerSecond > 0 ? Math.max(0, Math.ceil(bytes / bytesPerSecond)) : null;
}

/** `312 MB of 639 MB, 48 %, 11.2 MB/s, 29 s left`, for one line of a terminal. */
export function renderProgress(progress: TransferProgress): string {
  const { phase, receivedBytes, totalBytes, bytesPerSecond, etaSeconds } = progress;
  if (phase === 'check') return `checking ${formatBytes(receivedBytes)} that are already here`;
  const parts = [formatBytes(receivedBytes)];
  if (totalBytes !== null) {
    parts[0] = `${formatBytes(receivedBytes)} of ${formatBytes(totalBytes)}`;
    parts.push(`${Math.floor((receivedBytes / Math.max(totalBytes, 1)) * 100)} %`);
  }
  if (bytesPerSecond > 0) parts.push(`${formatBytes(bytesPerSecond)}/s`);
  if (etaSeconds !== null) parts.push(`${formatDuration(etaSeconds)} left`);
  return parts.join(', ');
}

function formatDuration(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
}
