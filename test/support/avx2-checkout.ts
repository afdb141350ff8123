import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from './source-tree.ts';

const addon = 'node_modules/@node-llama-cpp/linux-x64';
const newerKernels = /libggml-cpu-(?!haswell)/;

/**
 * A copy of this checkout whose addon has llama.cpp's kernels for AVX2 and no newer ones, as the wheel of llama.cpp's server that
 * the tests use. Kernels round sums differently, and those for AMX take half the time: with the same ones, answers and speed
 * can be compared. All other packages are found in the folders above.
 */
export async function makeAvx2Checkout(): Promise<{ folder: string; remove: () => Promise<void> }> {
  await mkdir(join(root, '.cache'), { recursive: true });
  const folder = await mkdtemp(join(root, '.cache', 'avx2-checkout-'));
  for (const path of ['src', 'migrations', 'models', 'trainer', 'package.json'])
    await cp(join(root, path), join(folder, path), { recursive: true });
  const filter = (path: string) => !newerKernels.test(path);
  await cp(join(root, addon), join(folder, addon), { recursive: true, filter });
  return { folder, remove: () => rm(folder, { recursive: true, force: true, maxRetries: 5 }) };
}
