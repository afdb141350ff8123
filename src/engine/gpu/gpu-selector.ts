import { join } from 'node:path';
import { type Clock, messageOf, systemClock } from '#kernel';
import type { ProcessEnvironment } from '#processes';
import type { EngineLog } from '../llama/engine-process.ts';
import { addonVersion } from '../llama/native-library.ts';
import { type BackendCandidate, orderBackends } from './backend-order.ts';
import { type GpuBackend, type GpuSetting, type GpuTarget, gpuBackends } from './backends.ts';
import { type GpuMachine, lookForGpus } from './gpu-machine.ts';
import { GpuCrashError, type GpuDevices, type GpuProbeOptions, probeGpu } from './gpu-probe.ts';
import { type GpuProbeResult, readGpuResults, writeGpuResults } from './gpu-results.ts';
import { findLibraryFolders } from './library-folders.ts';

export type GpuSelectorOptions = {
  setting: GpuSetting;
  /** Where results are stored, and libraries may be. */
  dataDir: string;
  /** Of the trainer; null: there is none. */
  pythonFolder: string | null;
  environment: ProcessEnvironment;
  log: EngineLog;
  clock?: Clock;
  /** What there is; replaced in tests. */
  machine?: () => Promise<GpuMachine>;
  probe?: Pick<GpuProbeOptions, 'script' | 'timeoutMs'>;
};

/** `help`: what may change that; null: nothing that is known. */
export type RejectedBackend = { backend: GpuBackend; label: string; reason: string; help: string | null };

/** What models are loaded on, and why not on something else. */
export type GpuSelection = {
  /** null: on the CPU. */
  chosen: { target: GpuTarget; label: string; devices: GpuDevices; isRemembered: boolean } | null;
  /** Those that were looked at before, and why they cannot be used. */
  rejected: RejectedBackend[];
  /** Of NVIDIA; null: unknown, or there is none. */
  driver: string | null;
  setting: GpuSetting;
};

/** Finds once what models of this process run on. Nobody waits for it before the first model is loaded or planned. */
export class GpuSelector {
  readonly #options: GpuSelectorOptions;
  #selection: Promise<GpuSelection> | null = null;

  constructor(options: GpuSelectorOptions) {
    this.#options = options;
  }

  /** `again`: whatever earlier probes found. Never rejects. */
  select({ again = false } = {}): Promise<GpuSelection> {
    if (again || this.#selection === null) this.#selection = this.#select(again);
    return this.#selection;
  }

  async target(): Promise<GpuTarget | false> {
    return (await this.select()).chosen?.target ?? false;
  }

  async #select(again: boolean): Promise<GpuSelection> {
    const { setting, environment, log } = this.#options;
    const selection: GpuSelection = { chosen: null, rejected: [], driver: null, setting };
    if (setting === 'off') return selection;
    const machine = await (this.#options.machine ?? (() => lookForGpus({ environment })))();
    selection.driver = machine.nvidia?.driver ?? null;
    const candidates = orderBackends(setting, machine);
    if (candidates.length > 0) await this.#tryInOrder(selection, { machine, candidates, again });
    const { chosen, rejected } = selection;
    const reasons = rejected.map(({ label, reason }) => `${label}: ${reason}`);
    if (chosen) log('info', 'Models run on the GPU', { backend: chosen.label, devices: chosen.devices.names, reasons });
    else if (rejected.length > 0) log('warn', 'No GPU can be used: models run on the CPU', { reasons });
    return selection;
  }

  async #tryInOrder(
    selection: GpuSelection,
    { machine, candidates, again }: { machine: GpuMachine; candidates: BackendCandidate[]; again: boolean },
  ): Promise<void> {
    const { dataDir, clock = systemClock } = this.#options;
    const path = join(dataDir, 'gpu.json');
    const targets = await Promise.all(candidates.map(({ backend }) => this.#targetOf(backend)));
    const key = JSON.stringify([addonVersion(), machine.fingerprint, targets]);
    const known = await readGpuResults(path, { key, nowMs: clock.nowMs() });
    const results: GpuProbeResult[] = [];
    for (const [index, { backend, skippedBecause }] of candidates.entries()) {
      const { label } = gpuBackends[backend];
      if (skippedBecause !== null) {
        selection.rejected.push({ backend, label, reason: skippedBecause, help: null });
        continue;
      }
      const target = targets[index] ?? { backend, libraryFolders: [] };
      const remembered = again ? undefined : known.get(backend);
      const { result, isStored } = remembered ? { result: remembered, isStored: true } : await this.#probe(target);
      if (isStored) results.push(result);
      if (result.failure === null) {
        const { names, totalBytes } = result;
        selection.chosen = { target, label, devices: { names, totalBytes }, isRemembered: remembered !== undefined };
        break;
      }
      const help = helpFor(backend, { failure: result.failure, packageFolder: packageFolderOf(dataDir) });
      selection.rejected.push({ backend, label, reason: result.failure, help });
    }
    if (results.some((result) => !known.has(result.backend) || again)) await this.#store(path, key, results);
  }

  async #targetOf(backend: GpuBackend): Promise<GpuTarget> {
    const { dataDir, pythonFolder, environment } = this.#options;
    const search = { environment, pythonFolder, packageFolder: packageFolderOf(dataDir) };
    return { backend, libraryFolders: await findLibraryFolders(gpuBackends[backend].libraries, search) };
  }

  async #probe(target: GpuTarget): Promise<{ result: GpuProbeResult; isStored: boolean }> {
    const { environment, log, probe, clock = systemClock } = this.#options;
    const { backend } = target;
    const probedMs = clock.nowMs();
    try {
      const { names, totalBytes } = await probeGpu(target, { environment, log, ...probe });
      return { result: { backend, failure: null, names, totalBytes, probedMs }, isStored: true };
    } catch (error) {
      const result = { backend, failure: messageOf(error), names: [], totalBytes: 0, probedMs };
      return { result, isStored: error instanceof GpuCrashError };
    }
  }

  async #store(path: string, key: string, results: readonly GpuProbeResult[]): Promise<void> {
    try {
      await writeGpuResults(path, key, results);
    } catch (error) {
      this.#options.log('debug', 'Results of GPU probes are not stored', { reason: messageOf(error) });
    }
  }
}

/** Of the loader of the C library, with the name of the library. */
const missingLibrary = /^(lib\S+): cannot open shared object file/;
/** It comes with the driver, which no package replaces. */
const ofDriver = 'libcuda.so.1';

function helpFor(backend: GpuBackend, { failure, packageFolder }: { failure: string; packageFolder: string }) {
  const missing = missingLibrary.exec(failure)?.[1];
  if (missing === undefined) return null;
  return missing === ofDriver ? driverHelp : gpuBackends[backend].help(packageFolder);
}

const driverHelp = 'install the driver of NVIDIA; a container needs its runtime, as with docker run --gpus all';

/** Where packages with CUDA's libraries are found that `pip install --target` put there. */
function packageFolderOf(dataDir: string): string {
  return join(dataDir, 'cuda');
}
