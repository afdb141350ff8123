import { fileURLToPath } from 'node:url';
import { type ProcessEnvironment, ProcessGoneError, RequestProcess } from '#processes';
import { type EngineLog, engineProcess } from '../llama/engine-process.ts';
import type { GpuTarget } from './backends.ts';

export type GpuProbeRequest = { target: GpuTarget; ggufPath: string };

/** All that a backend drives, as one. */
export type GpuDevices = { names: string[]; totalBytes: number };

export type GpuProbeOptions = {
  environment: ProcessEnvironment;
  log: EngineLog;
  /** Replaces the program that probes. */
  script?: string;
  timeoutMs?: number;
};

/** The process ended, or had to be ended. */
export class GpuCrashError extends Error {
  override readonly name = 'GpuCrashError';
}

/** A driver may compile every kernel at first. */
const usualTimeoutMs = 120_000;
const ownScript = fileURLToPath(new URL('./gpu-probe-child.ts', import.meta.url));
/** Small, and there wherever the server is. */
const ggufPath = fileURLToPath(new URL('../../../models/tiny-chat/tiny-chat.gguf', import.meta.url));

/**
 * Loads a backend in a process of its own and runs a model on it: a driver that is too old or broken often shows only when something is
 * computed, and takes the process along. Rejects with the reason.
 */
export async function probeGpu(target: GpuTarget, options: GpuProbeOptions): Promise<GpuDevices> {
  const { environment, log, script = ownScript, timeoutMs = usualTimeoutMs } = options;
  const { libraryFolders } = target;
  const child = new RequestProcess<GpuProbeRequest, GpuDevices>({
    ...engineProcess({ script, environment, name: `GPU probe, ${target.backend}`, log, libraryFolders }),
    timeoutMs,
    idleMs: timeoutMs,
  });
  const beganMs = performance.now();
  try {
    return await child.request({ target, ggufPath });
  } catch (error) {
    if (!(error instanceof ProcessGoneError)) throw error;
    const isLate = performance.now() - beganMs >= timeoutMs;
    throw new GpuCrashError(isLate ? `It did not answer within ${timeoutMs / 1000} seconds.` : error.message, {
      cause: error,
    });
  } finally {
    await child.stop();
  }
}
