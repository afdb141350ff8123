import { formatBytes } from '../list-models.ts';

export type TransferProgress = {
  /** `check`: the file is here and its digest is computed. */
  phase: 'check' | 'download';
  receivedBytes: number;
  totalBytes: number;
  /** Over the last few seconds. */
  bytesPerSecond: number;
  etaSeconds: number | null;
};

export type TransferMeter = {
  /** Calls the listener, at most every 200 ms unless `now` is set. */
  report: (phase: TransferProgress['phase'], fileBytes: number, now?: boolean) => void;
};

const windowMs = 5_000;
const reportEveryMs = 200;

export function createTransferMeter(
  onProgress: (progress: TransferProgress) => void,
  monotonicMs: () => number,
  { bytesBefore, totalBytes }: { bytesBefore: number; totalBytes: number },
): TransferMeter {
  let samples: Sample[] = [];
  let phaseSeen: TransferProgress['phase'] | null = null;
  let nextReportMs = Number.NEGATIVE_INFINITY;

  return {
    report(phase, fileBytes, now = false) {
      const receivedBytes = bytesBefore + fileBytes;
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
      const etaSeconds = secondsFor(totalBytes - receivedBytes, bytesPerSecond);
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
  const percent = Math.floor((receivedBytes / Math.max(totalBytes, 1)) * 100);
  const parts = [`${formatBytes(receivedBytes)} of ${formatBytes(totalBytes)}`, `${percent} %`];
  if (phase === 'check') return `checking ${parts[0]}`;
  if (bytesPerSecond > 0) parts.push(`${formatBytes(bytesPerSecond)}/s`);
  if (etaSeconds !== null) parts.push(`${formatDuration(etaSeconds)} left`);
  return parts.join(', ');
}

function formatDuration(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
}
