/** Ways to a GPU that llama.cpp has a build for, by the names of the setting. */
export type GpuBackend = 'cuda' | 'cuda-ext' | 'vulkan' | 'metal';

/** `auto`: the first one that works, else the CPU. */
export type GpuSetting = 'auto' | 'off' | GpuBackend;

/** What a process needs to load a model on a GPU. */
export type GpuTarget = {
  backend: GpuBackend;
  /** Folders with shared libraries that the system does not find by itself. */
  libraryFolders: readonly string[];
};

/** A folder of one of the packages `@node-llama-cpp/...`, with files of llama.cpp. */
export type PackageFolder = { package: string; folder: string };

type BackendBuild = {
  label: string;
  /** Of Node: `process.platform process.arch`. */
  platform: string;
  /** Where the addon is, and where llama.cpp's backends are loaded from, in order; null: node-llama-cpp loads it. */
  files: { addon: PackageFolder; backends: readonly [PackageFolder, ...PackageFolder[]] } | null;
  /** What it links to and does not bring along. */
  libraries: readonly string[];
  /** What helps where a library is missing; `folder`: one that is searched. */
  help: (folder: string) => string;
};

const whole = (name: string): PackageFolder => ({ package: name, folder: name });
const cuda = whole('linux-x64-cuda');
const linux = 'linux x64';
const pip = (packages: string, folder: string) => `python3 -m pip install --target ${folder} ${packages}`;

export const gpuBackends: Record<GpuBackend, BackendBuild> = {
  cuda: {
    label: 'CUDA 13',
    platform: linux,
    files: { addon: cuda, backends: [cuda] },
    libraries: ['libcuda.so.1', 'libcudart.so.13', 'libcublas.so.13'],
    help: (folder) => pip('nvidia-cuda-runtime nvidia-cublas', folder),
  },
  'cuda-ext': {
    label: 'CUDA 12',
    platform: linux,
    // The folder of the addon has a library for CUDA 13 too, so that for the CPU comes from elsewhere.
    files: {
      addon: cuda,
      backends: [{ package: 'linux-x64-cuda-ext', folder: 'linux-x64-cuda/fallback' }, whole('linux-x64')],
    },
    libraries: ['libcuda.so.1', 'libcudart.so.12', 'libcublas.so.12'],
    help: (folder) => pip('nvidia-cuda-runtime-cu12 nvidia-cublas-cu12', folder),
  },
  vulkan: {
    label: 'Vulkan',
    platform: linux,
    files: { addon: whole('linux-x64-vulkan'), backends: [whole('linux-x64-vulkan')] },
    libraries: ['libvulkan.so.1'],
    help: () => 'apt-get install libvulkan1',
  },
  metal: { label: 'Metal', platform: 'darwin arm64', files: null, libraries: [], help: () => '' },
};

/** `CUDA 13 (NVIDIA H100, 24 of 25 layers)`, or `CPU`; the output counts as a layer. */
export function placementText(
  gpu: { target: GpuTarget; devices: readonly string[]; gpuLayers: number } | null,
  layers: number,
): string {
  if (gpu === null || gpu.gpuLayers === 0) return 'CPU';
  const { target, devices, gpuLayers } = gpu;
  return `${gpuBackends[target.backend].label} (${devices.join(', ')}, ${gpuLayers} of ${layers} layers)`;
}
