import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { orderBackends } from './backend-order.ts';
import type { GpuSetting } from './backends.ts';
import type { GpuMachine } from './gpu-machine.ts';

const linux: GpuMachine = { platform: 'linux x64', nvidia: null, hasGraphics: false, fingerprint: '' };

function withNvidia(driver: string | null, ...gpus: [name: string, computeCapability: number | null][]): GpuMachine {
  const known = gpus.map(([name, computeCapability]) => ({ name, computeCapability }));
  return { ...linux, hasGraphics: true, nvidia: { driver, gpus: known } };
}

/** `cuda-ext vulkan`, without those that are skipped. */
function orderOf(machine: GpuMachine, setting: GpuSetting = 'auto'): string {
  const tried = orderBackends(setting, machine).filter(({ skippedBecause }) => skippedBecause === null);
  return tried.map(({ backend }) => backend).join(' ');
}

const everything = 'cuda cuda-ext vulkan';
const withoutCuda13 = 'cuda-ext vulkan';
const h100: [string, number] = ['NVIDIA H100', 9];
const drivers: [driver: string | null, gpus: [string, number | null][], order: string][] = [
  ['590.44.01', [h100], everything],
  ['600.10', [h100], everything],
  ['580.95.05', [h100], withoutCuda13],
  ['589.99', [h100], withoutCuda13],
  ['590.44.01', [['NVIDIA H200', 9]], everything],
  ['580.95.05', [['NVIDIA A100', 8]], withoutCuda13],
  ['580.95.05', [['Tesla T4', 7.5]], withoutCuda13],
  ['590.44.01', [['Tesla T4', 7.5]], everything],
  ['580.95.05', [['NVIDIA GeForce RTX 3090', 8.6]], everything],
  ['580.95.05', [['NVIDIA GeForce RTX 4090', 8.9]], everything],
  ['580.95.05', [['NVIDIA GeForce RTX 5090', 12]], everything],
  ['575.64', [['NVIDIA GeForce RTX 4090', 8.9]], withoutCuda13],
  ['550.54.14', [h100], withoutCuda13],
  ['549.99', [h100], 'vulkan'],
  ['470.256.02', [['Tesla T4', 7.5]], 'vulkan'],
  ['590.44.01', [['Tesla V100', 7]], withoutCuda13],
  ['590.44.01', [['NVIDIA GeForce GTX 1080', 6.1]], withoutCuda13],
  ['390.157', [['GeForce GT 640', 3]], 'vulkan'],
  ['580.95.05', [['NVIDIA GeForce RTX 4090', 8.9], h100], withoutCuda13],
  ['580.95.05', [], everything],
  ['570.86.15', [], withoutCuda13],
  [null, [], everything],
  [null, [h100], everything],
  ['580.95.05', [['unknown', null]], everything],
];

describe('the order of backends', () => {
  for (const [driver, gpus, order] of drivers)
    test(`driver ${driver}, ${gpus.map(([name]) => name).join(' and ') || 'GPUs unknown'}: ${order}`, () => {
      assert.equal(orderOf(withNvidia(driver, ...gpus)), order);
    });

  test('a backend that is skipped says what it needs', () => {
    const [cuda] = orderBackends('auto', withNvidia('570.86.15', h100));
    assert.equal(cuda?.skippedBecause, 'CUDA 13 needs driver 590 or newer for NVIDIA H100, and 570.86.15 is installed');
    const [old] = orderBackends('auto', withNvidia('590.10', ['Tesla V100', 7]));
    assert.equal(old?.skippedBecause, 'CUDA 13 does not support Tesla V100');
  });

  test('there is nothing to try on a machine without a GPU', () => {
    assert.deepEqual(orderBackends('auto', linux), []);
    assert.deepEqual(orderBackends('auto', { ...linux, platform: 'linux arm64', hasGraphics: true }), []);
    assert.deepEqual(orderBackends('auto', { ...linux, platform: 'darwin x64' }), []);
  });

  test('GPUs of other makers are used with Vulkan, and those of Apple with Metal', () => {
    assert.equal(orderOf({ ...linux, hasGraphics: true }), 'vulkan');
    assert.equal(orderOf({ ...linux, platform: 'darwin arm64' }), 'metal');
  });

  test('a backend that is set is the only one, whatever the driver', () => {
    assert.equal(orderOf(withNvidia('470.10', h100), 'cuda'), 'cuda');
    assert.equal(orderOf(linux, 'vulkan'), 'vulkan');
    assert.equal(orderOf(withNvidia('590.10', h100), 'off'), '');
    assert.deepEqual(orderBackends('metal', linux), [
      { backend: 'metal', skippedBecause: 'Metal is available on darwin arm64, and this is linux x64' },
    ]);
  });
});
