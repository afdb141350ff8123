import { readdir, readFile, stat } from 'node:fs/promises';
import { hostname, release } from 'node:os';
import { join } from 'node:path';
import { childEnvironment, type ProcessEnvironment, startProcess } from '#processes';

export type NvidiaGpu = {
  name: string;
  /** 9.0 of an H100; null: unknown. */
  computeCapability: number | null;
};

/** What there is to run models on besides the processor. */
export type GpuMachine = {
  /** Of Node: `process.platform process.arch`. */
  platform: string;
  /** null: there is no GPU of NVIDIA. `gpus` is empty, and `driver` null, where the driver does not tell. */
  nvidia: { driver: string | null; gpus: readonly NvidiaGpu[] } | null;
  /** There is a GPU of any maker that a Vulkan driver could use. */
  hasGraphics: boolean;
  /** Changes when drivers do, and is different on another machine. */
  fingerprint: string;
};

export type MachineOptions = {
  environment: ProcessEnvironment;
  /** Of the file system. */
  root?: string;
  platform?: string;
};

const nvidiaSmiMs = 20_000;
const nvidiaDevice = /^nvidia\d+$/;
const vulkanManifests = ['usr/share/vulkan/icd.d', 'etc/vulkan/icd.d'];

/** Costs nothing where there is no GPU: it looks for device files first, and asks a driver only where there is one. */
export async function lookForGpus(options: MachineOptions): Promise<GpuMachine> {
  const { environment, root = '/', platform = `${process.platform} ${process.arch}` } = options;
  const devices = await namesIn(join(root, 'dev'));
  // In WSL the GPUs of Windows are behind one device.
  const hasNvidia = devices.some((name) => nvidiaDevice.test(name)) || devices.includes('dxg');
  const hasGraphics = hasNvidia || (await namesIn(join(root, 'dev/dri'))).some((name) => name.startsWith('renderD'));
  const nvidia = hasNvidia ? await askNvidia(root, environment) : null;
  const manifests = hasGraphics ? await stampsOf(root) : [];
  const visible = Object.entries(environment).filter(([name]) => /^(CUDA|GGML_VK|NVIDIA|VK)_/.test(name));
  const parts = [hostname(), platform, release(), nvidia, manifests, visible.sort()];
  return { platform, nvidia, hasGraphics, fingerprint: JSON.stringify(parts) };
}

async function askNvidia(root: string, environment: ProcessEnvironment) {
  const found: string[] = [];
  const query = ['--query-gpu=name,driver_version,compute_cap', '--format=csv,noheader'];
  const command = startProcess('nvidia-smi', {
    args: query,
    env: childEnvironment(environment, 'accelerators'),
    output: (line, stream) => void (stream === 'stdout' && found.push(line)),
    timeoutMs: nvidiaSmiMs,
  });
  // Without the program there is no exit code either.
  const { code } = await command.exited;
  const driver = driverOf(await readFile(join(root, 'proc/driver/nvidia/version'), 'utf8').catch(() => ''));
  return code === 0 ? readNvidiaSmi(found, driver) : { driver, gpus: [] };
}

/** Lines like `NVIDIA H100 80GB HBM3, 570.86.15, 9.0`. */
export function readNvidiaSmi(lines: readonly string[], otherDriver: string | null = null) {
  const rows = lines.map((line) => line.split(',').map((cell) => cell.trim())).filter(({ length }) => length === 3);
  const gpus = rows.map(([name = '', , capability = '']) => ({
    name,
    computeCapability: /^\d+\.\d+$/.test(capability) ? Number(capability) : null,
  }));
  return { driver: rows[0]?.[1] ?? otherDriver, gpus };
}

/** Of a line like `NVRM version: NVIDIA UNIX x86_64 Kernel Module  570.86.15  Thu Jan ...`. */
function driverOf(text: string): string | null {
  return /\s(\d{3,}\.\d+(?:\.\d+)*)\s/.exec(text)?.[1] ?? null;
}

async function stampsOf(root: string): Promise<string[]> {
  const stamps: string[] = [];
  for (const folder of vulkanManifests)
    for (const name of (await namesIn(join(root, folder))).sort()) {
      const { mtimeMs } = await stat(join(root, folder, name));
      stamps.push(`${name} ${mtimeMs}`);
    }
  return stamps;
}

async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => []);
}
