import assert from 'node:assert/strict';
import { chmod, mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { lookForGpus, readNvidiaSmi } from './gpu-machine.ts';
import { findLibraryFolders, libraryPath } from './library-folders.ts';

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fanfold-machine-'));
});
after(() => rm(folder, { recursive: true }));

/** A file system with these files. */
async function rootOf(name: string, files: Record<string, string>): Promise<string> {
  const root = join(folder, name);
  await mkdir(root);
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
  }
  return root;
}

const platform = 'linux x64';
const kernelModule =
  'NVRM version: NVIDIA UNIX x86_64 Kernel Module  570.86.15  Thu Jan 23 20:02:36 UTC 2026\nGCC version: 12.2.0';

describe('what GPUs there are', () => {
  test('a machine without device files has none, and no program is asked', async () => {
    const bin = await rootOf('asked', { 'nvidia-smi': '#!/bin/sh\necho "NVIDIA H100, 590.1, 9.0"\n' });
    await chmod(join(bin, 'nvidia-smi'), 0o755);
    const root = await rootOf('plain', { 'dev/null': '', 'dev/nvme0': '' });
    const machine = await lookForGpus({ environment: { PATH: bin }, root, platform });
    assert.deepEqual([machine.nvidia, machine.hasGraphics], [null, false]);
  });

  test('a render node without NVIDIA is a GPU for Vulkan', async () => {
    const root = await rootOf('graphics', { 'dev/dri/renderD128': '' });
    const machine = await lookForGpus({ environment: {}, root, platform });
    assert.deepEqual([machine.nvidia, machine.hasGraphics], [null, true]);
  });

  test('nvidia-smi tells names, driver and compute capability', async () => {
    const bin = await rootOf('bin', {
      'nvidia-smi': '#!/bin/sh\necho "NVIDIA H100 80GB HBM3, 570.86.15, 9.0"\necho "Tesla T4, 570.86.15, [N/A]"\n',
    });
    await chmod(join(bin, 'nvidia-smi'), 0o755);
    const root = await rootOf('nvidia', { 'dev/nvidia0': '', 'dev/nvidiactl': '' });
    const { nvidia, hasGraphics } = await lookForGpus({ environment: { PATH: bin }, root, platform });
    assert.ok(hasGraphics);
    assert.deepEqual(nvidia, {
      driver: '570.86.15',
      gpus: [
        { name: 'NVIDIA H100 80GB HBM3', computeCapability: 9 },
        { name: 'Tesla T4', computeCapability: null },
      ],
    });
  });

  test('without nvidia-smi the kernel module tells the driver', async () => {
    const root = await rootOf('module', { 'dev/nvidia0': '', 'proc/driver/nvidia/version': kernelModule });
    const machine = await lookForGpus({ environment: { PATH: folder }, root, platform });
    assert.deepEqual(machine.nvidia, { driver: '570.86.15', gpus: [] });
  });

  test('another driver, and another one of Vulkan, change the fingerprint', async () => {
    const files = { 'dev/nvidia0': '', 'usr/share/vulkan/icd.d/nvidia_icd.json': '{}' };
    const root = await rootOf('changing', { ...files, 'proc/driver/nvidia/version': kernelModule });
    const look = async () => (await lookForGpus({ environment: { PATH: folder }, root, platform })).fingerprint;
    const first = await look();
    assert.equal(await look(), first);
    await writeFile(join(root, 'proc/driver/nvidia/version'), kernelModule.replace('570.86.15', '590.44.01'));
    const second = await look();
    assert.notEqual(second, first);
    await utimes(join(root, 'usr/share/vulkan/icd.d/nvidia_icd.json'), 1, 1);
    assert.notEqual(await look(), second);
  });

  test('lines that are no table are no GPUs', () => {
    assert.deepEqual(readNvidiaSmi(['No devices were found']), { driver: null, gpus: [] });
  });
});

describe('libraries of CUDA', () => {
  const libraries = ['libcudart.so.12', 'libcublas.so.12'];

  test('are found in packages, in the environment of the trainer and on the system, in this order', async () => {
    const root = await rootOf('libraries', {
      'usr/local/cuda-12.4/lib64/libcudart.so.12': '',
      'usr/local/cuda-13.0/lib64/libcudart.so.13': '',
      'data/cuda/nvidia/cublas/lib/libcublas.so.12': '',
      'venv/lib/python3.12/site-packages/nvidia/cuda_runtime/lib/libcudart.so.12': '',
      'venv/lib/python3.12/site-packages/nvidia/cudnn/lib/libcudnn.so.9': '',
      'opt/own/lib/libcublas.so.12': '',
    });
    const found = await findLibraryFolders(libraries, {
      environment: { CUDA_PATH: join(root, 'opt/own') },
      pythonFolder: join(root, 'venv'),
      packageFolder: join(root, 'data/cuda'),
      root,
    });
    assert.deepEqual(
      found.map((path) => path.slice(root.length + 1)),
      [
        'opt/own/lib',
        'data/cuda/nvidia/cublas/lib',
        'venv/lib/python3.12/site-packages/nvidia/cuda_runtime/lib',
        'usr/local/cuda-12.4/lib64',
      ],
    );
  });

  test('nothing is found where there are no such folders', async () => {
    const nowhere = join(folder, 'nowhere');
    const search = {
      environment: { CUDA_HOME: nowhere },
      pythonFolder: nowhere,
      packageFolder: nowhere,
      root: nowhere,
    };
    assert.deepEqual(await findLibraryFolders(libraries, search), []);
  });

  test('folders that a process was given come first', () => {
    assert.equal(libraryPath('/a:/b', ['/c', '/d']), '/a:/b:/c:/d');
    assert.equal(libraryPath(undefined, ['/c']), '/c');
  });
});
