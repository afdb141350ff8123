import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { systemClock } from '#kernel';
import type { GpuSetting } from './backends.ts';
import { type GpuMachine, lookForGpus } from './gpu-machine.ts';
import { GpuCrashError, probeGpu } from './gpu-probe.ts';
import { GpuSelector } from './gpu-selector.ts';
import type { ProbeScript } from './scripted-probe.fixture.ts';

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fanfold-gpu-'));
});
after(() => rm(folder, { recursive: true }));

const h100 = { name: 'NVIDIA H100', computeCapability: 9 };
const machine: GpuMachine = {
  platform: 'linux x64',
  nvidia: { driver: '590.44.01', gpus: [h100] },
  hasGraphics: true,
  fingerprint: 'driver 590.44.01',
};
const script = fileURLToPath(new URL('./scripted-probe.fixture.ts', import.meta.url));

type Options = {
  dataDir: string;
  probes?: ProbeScript;
  found?: GpuMachine;
  setting?: GpuSetting;
  timeoutMs?: number;
  nowMs?: () => number;
};

function selectorOf({ dataDir, probes = {}, found = machine, setting = 'auto', ...options }: Options) {
  const { timeoutMs, nowMs = systemClock.nowMs } = options;
  const log: string[] = [];
  const selector = new GpuSelector({
    setting,
    dataDir,
    pythonFolder: null,
    environment: { PATH: process.env['PATH'], GGML_SCRIPT: JSON.stringify(probes) },
    log: (level, message) => void (level !== 'debug' && log.push(`${level}: ${message}`)),
    clock: { ...systemClock, nowMs },
    machine: async () => found,
    probe: { script, ...(timeoutMs === undefined ? {} : { timeoutMs }) },
  });
  return { selector, log };
}

const newFolder = () => mkdtemp(join(folder, 'data-'));

async function chosenBy(options: Options): Promise<string | null> {
  return (await selectorOf(options).selector.select()).chosen?.target.backend ?? null;
}

describe('what models run on', () => {
  test('is the first backend that works; one that crashes, hangs, exits or fails leads to the next', async () => {
    const crashed: ProbeScript = { cuda: 'crashes', 'cuda-ext': 'works', vulkan: 'works' };
    const { selector, log } = selectorOf({ dataDir: await newFolder(), probes: crashed });
    const { chosen, rejected } = await selector.select();
    assert.deepEqual([chosen?.label, chosen?.devices.names[0]], ['CUDA 12', 'A GPU']);
    assert.match(rejected[0]?.reason ?? '', /signal SIGABRT.*the provided PTX was compiled/s);
    assert.deepEqual(log, ['info: Models run on the GPU']);
    assert.deepEqual(await selector.target(), chosen?.target);

    const hung: ProbeScript = { cuda: 'hangs', 'cuda-ext': 'exits', vulkan: 'works' };
    const next = selectorOf({ dataDir: await newFolder(), probes: hung, timeoutMs: 1_500 });
    const found = await next.selector.select();
    assert.equal(found.chosen?.label, 'Vulkan');
    assert.equal(found.rejected[0]?.reason, 'It did not answer within 1.5 seconds.');
    assert.match(found.rejected[1]?.reason ?? '', /exit code 0/);
    assert.equal(
      await chosenBy({
        dataDir: await newFolder(),
        probes: { cuda: 'fails', 'cuda-ext': 'lacks a library', vulkan: 'works' },
      }),
      'vulkan',
    );
  });

  test('is the CPU where no backend works, and the log says why', async () => {
    const dataDir = await newFolder();
    const { selector, log } = selectorOf({ dataDir, probes: { cuda: 'crashes', 'cuda-ext': 'lacks a library' } });
    const { chosen, rejected } = await selector.select();
    assert.equal(chosen, null);
    assert.equal(await selector.target(), false);
    assert.deepEqual(
      rejected.map(({ label }) => label),
      ['CUDA 13', 'CUDA 12', 'Vulkan'],
    );
    assert.equal(
      rejected[1]?.help,
      `python3 -m pip install --target ${join(dataDir, 'cuda')} nvidia-cuda-runtime-cu12 nvidia-cublas-cu12`,
    );
    assert.deepEqual(log, ['warn: No GPU can be used: models run on the CPU']);
    const bare = selectorOf({ dataDir, probes: { cuda: 'lacks the driver' }, setting: 'cuda' });
    assert.match((await bare.selector.select()).rejected[0]?.help ?? '', /^install the driver/);
  });

  test('is the CPU without any probe, file or log line where there is no GPU, or it is off', async () => {
    const dataDir = await newFolder();
    const probes: ProbeScript = { cuda: 'works', vulkan: 'works' };
    const found = { ...machine, nvidia: null, hasGraphics: false };
    for (const options of [{ found }, { setting: 'off' as const }]) {
      const { selector, log } = selectorOf({ dataDir, probes, ...options });
      const { chosen, rejected } = await selector.select();
      assert.deepEqual([chosen, rejected, log], [null, [], []]);
    }
    assert.ok(!existsSync(join(dataDir, 'gpu.json')));
  });

  test('is the backend that is set, or else the CPU', async () => {
    const dataDir = await newFolder();
    const probes: ProbeScript = { cuda: 'works', vulkan: 'works' };
    assert.equal(await chosenBy({ dataDir, probes, setting: 'vulkan' }), 'vulkan');
    assert.equal(await chosenBy({ dataDir, probes, setting: 'cuda-ext' }), null);
    assert.equal(await chosenBy({ dataDir, probes, setting: 'metal' }), null);
  });
});

describe('results of probes', () => {
  test('are remembered until the driver changes', async () => {
    const dataDir = await newFolder();
    const before: ProbeScript = { cuda: 'crashes', 'cuda-ext': 'works' };
    assert.equal(await chosenBy({ dataDir, probes: before }), 'cuda-ext');
    const now: ProbeScript = { cuda: 'works', 'cuda-ext': 'crashes' };
    const { selector } = selectorOf({ dataDir, probes: now });
    const { chosen } = await selector.select();
    assert.deepEqual([chosen?.label, chosen?.isRemembered], ['CUDA 12', true]);
    assert.equal(await chosenBy({ dataDir, probes: now, found: { ...machine, fingerprint: 'driver 591' } }), 'cuda');
  });

  test('are found anew on request, and then remembered', async () => {
    const dataDir = await newFolder();
    await chosenBy({ dataDir, probes: { cuda: 'crashes', 'cuda-ext': 'works' } });
    const { selector } = selectorOf({ dataDir, probes: { cuda: 'works' } });
    assert.equal((await selector.select({ again: true })).chosen?.label, 'CUDA 13');
    assert.equal(await chosenBy({ dataDir }), 'cuda');
  });

  test('of crashes last a day, and of other failures not at all', async () => {
    const dataDir = await newFolder();
    const day = 24 * 60 * 60_000;
    const first: ProbeScript = { cuda: 'crashes', 'cuda-ext': 'fails', vulkan: 'works' };
    assert.equal(await chosenBy({ dataDir, probes: first, nowMs: () => 0 }), 'vulkan');
    const later: ProbeScript = { cuda: 'works', 'cuda-ext': 'works', vulkan: 'works' };
    assert.equal(await chosenBy({ dataDir, probes: later, nowMs: () => day - 1 }), 'cuda-ext');
    assert.equal(await chosenBy({ dataDir, probes: later, nowMs: () => day }), 'cuda');
  });

  test('in a damaged file are as none, and a folder that cannot be written changes nothing', async () => {
    const dataDir = await newFolder();
    const probes: ProbeScript = { cuda: 'works' };
    for (const text of ['{"key":', '[]', '{"key":"","results":[{}]}']) {
      await writeFile(join(dataDir, 'gpu.json'), text);
      assert.equal(await chosenBy({ dataDir, probes }), 'cuda');
    }
    assert.match(await readFile(join(dataDir, 'gpu.json'), 'utf8'), /"backend": "cuda"/);
    assert.equal(await chosenBy({ dataDir: join(dataDir, 'nowhere'), probes }), 'cuda');
  });
});

const { nvidia, hasGraphics, platform } = await lookForGpus({ environment: {} });
const isPlain = platform === 'linux x64' && nvidia === null && !hasGraphics;

describe('a probe', () => {
  test('gives its process the folders of libraries', async () => {
    const environment = { PATH: process.env['PATH'], LD_LIBRARY_PATH: '/own', GGML_SCRIPT: '{"cuda":"works"}' };
    const target = { backend: 'cuda', libraryFolders: ['/opt/a', '/opt/b'] } as const;
    const { names } = await probeGpu(target, { environment, log: () => {}, script });
    assert.equal(names[1], '/own:/opt/a:/opt/b');
  });

  for (const backend of ['cuda', 'cuda-ext', 'vulkan'] as const)
    test(`tells why llama.cpp finds no GPU: ${backend}`, { skip: isPlain ? false : 'There is a GPU.' }, async () => {
      const target = { backend, libraryFolders: [] };
      await assert.rejects(probeGpu(target, { environment: {}, log: () => {} }), (error: Error) => {
        assert.ok(!(error instanceof GpuCrashError));
        assert.match(error.message, /^lib(cuda|cudart|cublas|vulkan)\.so\.\d+: cannot open|finds no GPU/);
        return true;
      });
    });
});
