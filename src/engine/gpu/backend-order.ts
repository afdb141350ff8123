import { type GpuBackend, type GpuSetting, gpuBackends } from './backends.ts';
import type { GpuMachine, NvidiaGpu } from './gpu-machine.ts';

/** A backend that would be tried; `skippedBecause` null: it is. */
export type BackendCandidate = { backend: GpuBackend; skippedBecause: string | null };

type CudaNeeds = {
  label: string;
  oldestCapability: number;
  driverFor: (capability: number | null) => number;
};

/** Those with machine code in the build of CUDA 13. For others the driver makes it, which one older than that compiler cannot. */
const builtCapabilities: ReadonlySet<number> = new Set([8.6, 8.9, 12, 12.1]);

const cudaNeeds: readonly [GpuBackend, CudaNeeds][] = [
  [
    'cuda',
    {
      label: gpuBackends.cuda.label,
      oldestCapability: 7.5,
      driverFor: (capability) => (capability === null || builtCapabilities.has(capability) ? 580 : 590),
    },
  ],
  ['cuda-ext', { label: gpuBackends['cuda-ext'].label, oldestCapability: 5, driverFor: () => 550 }],
];

/** The fastest one first. Whoever names a backend gets it, whatever is known of the driver. */
export function orderBackends(setting: GpuSetting, machine: GpuMachine): BackendCandidate[] {
  if (setting === 'off') return [];
  if (setting !== 'auto') return [{ backend: setting, skippedBecause: foreignTo(setting, machine) }];
  const candidates: BackendCandidate[] = [];
  if (machine.nvidia !== null)
    for (const [backend, needs] of cudaNeeds)
      candidates.push({ backend, skippedBecause: unmetNeed(needs, machine.nvidia) });
  if (machine.hasGraphics) candidates.push({ backend: 'vulkan', skippedBecause: null });
  candidates.push({ backend: 'metal', skippedBecause: null });
  return candidates.filter(({ backend }) => foreignTo(backend, machine) === null);
}

function foreignTo(backend: GpuBackend, { platform }: GpuMachine): string | null {
  const build = gpuBackends[backend];
  return build.platform === platform
    ? null
    : `${build.label} is available on ${build.platform}, and this is ${platform}`;
}

/** What is not known is tried. */
function unmetNeed(
  { label, oldestCapability, driverFor }: CudaNeeds,
  { driver, gpus }: { driver: string | null; gpus: readonly NvidiaGpu[] },
): string | null {
  const installed = driver === null ? null : Number.parseInt(driver, 10);
  for (const { name, computeCapability } of gpus.length > 0 ? gpus : [unknownGpu]) {
    if (computeCapability !== null && computeCapability < oldestCapability) return `${label} does not support ${name}`;
    const needed = driverFor(computeCapability);
    if (installed !== null && installed < needed)
      return `${label} needs driver ${needed} or newer for ${name}, and ${driver} is installed`;
  }
  return null;
}

const unknownGpu: NvidiaGpu = { name: 'a GPU of NVIDIA', computeCapability: null };
