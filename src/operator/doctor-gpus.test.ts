import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { GpuSelection } from '#engine';
import { checkGpus } from './doctor-gpus.ts';

const none: GpuSelection = { chosen: null, rejected: [], driver: null, setting: 'auto' };
const rejected: GpuSelection['rejected'] = [
  { backend: 'cuda', label: 'CUDA 13', reason: 'The process ended: signal SIGABRT\nCUDA error', help: null },
  { backend: 'cuda-ext', label: 'CUDA 12', reason: 'libcublas.so.12: cannot open', help: 'pip install it' },
];
const devices = { names: ['NVIDIA H100'], totalBytes: 85_520_809_984 };
const target = { backend: 'vulkan', libraryFolders: [] } as const;

function check(selection: Partial<GpuSelection>) {
  const printed: string[] = [];
  const problems = checkGpus({ ...none, ...selection }, (line) => printed.push(line));
  return { printed, problems };
}

test('doctor says what models run on, and what the other backends lack', () => {
  const chosen = { target, label: 'Vulkan', devices, isRemembered: false };
  assert.deepEqual(check({ chosen, rejected, driver: '550.90' }), {
    printed: [
      'gpu: CUDA 13 cannot be used: The process ended: signal SIGABRT',
      'gpu: CUDA 12 cannot be used: libcublas.so.12: cannot open. This may help: pip install it',
      'gpu: models run on Vulkan (NVIDIA H100, 85.5 GB, driver 550.90)',
    ],
    problems: [],
  });
});

test('doctor finds no problem in models that run on the CPU', () => {
  assert.deepEqual(check({}), { printed: ['gpu: there is none, models run on the CPU'], problems: [] });
  assert.deepEqual(check({ rejected }).printed.at(-1), 'gpu: models run on the CPU');
  assert.deepEqual(check({ rejected }).problems, []);
  assert.match(check({ setting: 'off' }).printed.join(), /is off, models run on the CPU/);
});

test('a backend that the operator named and that cannot be used is a problem', () => {
  assert.deepEqual(check({ setting: 'cuda', rejected: rejected.slice(0, 1) }), {
    printed: [],
    problems: ['gpu: FANFOLD_ENGINE_GPU is cuda, and CUDA 13 cannot be used: The process ended: signal SIGABRT'],
  });
});
