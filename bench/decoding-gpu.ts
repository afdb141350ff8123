import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { GpuSelector } from '#engine';
import type { GpuTarget } from '../src/engine/gpu/backends.ts';
import { benchDecoding, type DecodingShape } from './decoding.ts';
import type { Row } from './table.ts';

/** `gguf` is called only where there is a GPU. */
export type GpuDecodingShape = Pick<DecodingShape, 'tokens' | 'rounds' | 'threads'> & {
  name: string;
  gguf: () => string;
};

const levels = [1, 8, 32].map((streams) => ({ streams, goal: 0.9 }));

/** `benchDecoding` on the GPU that the program would choose, both sides with all layers on it. Throws where there is none. */
export async function benchGpuDecoding({ name, gguf, ...run }: GpuDecodingShape): Promise<Row[]> {
  const { target, label } = await chooseGpu();
  return benchDecoding({ ...run, name: `${name}, ${label}`, gguf: gguf(), gpu: target, levels });
}

async function chooseGpu(): Promise<{ target: GpuTarget; label: string }> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'fanfold-bench-gpu-'));
  const { env: environment } = process;
  try {
    const selector = new GpuSelector({ setting: 'auto', dataDir, pythonFolder: null, environment, log: () => {} });
    const { chosen, rejected } = await selector.select();
    const reasons = rejected.map(({ label, reason }) => `${label}: ${reason}`).join('; ');
    if (chosen === null) throw new Error(`There is no GPU for this benchmark. ${reasons}`);
    console.error(`${chosen.label} on ${chosen.devices.names.join(', ')}. ${reasons}`);
    return chosen;
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}
