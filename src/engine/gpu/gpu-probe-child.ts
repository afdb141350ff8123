import { serveRequests } from '#processes';
import { type NativeModel, type OpenLibrary, openLibrary, openModel } from '../llama/binding.ts';
import { gpuBackends } from './backends.ts';
import type { GpuDevices, GpuProbeRequest } from './gpu-probe.ts';

serveRequests(probe);

/** A long prompt, an answer, and several answers at once have kernels of their own. */
const batches = [24, 1, 8];
const contextTokens = 64;
/** Numbers of 16 bits and another order of sums change the outputs of a model by less than a thousandth. */
const leastAgreement = 0.98;

async function probe({ target, ggufPath }: GpuProbeRequest): Promise<GpuDevices> {
  const library = await openLibrary({ gpu: target, maxThreads: 1 });
  const outputsWith = async (gpuLayers?: number) => {
    const model = await openModel({ path: ggufPath, gpu: target, maxThreads: 1, gpuLayers, library });
    try {
      return await outputsOf(model);
    } finally {
      await model.dispose();
    }
  };
  const onGpu = await outputsWith();
  const onCpu = await outputsWith(0);
  const agreement = agreementOf(onGpu, onCpu);
  if (!(agreement >= leastAgreement))
    throw new Error(`${gpuBackends[target.backend].label} computes wrong numbers here.`);
  return devicesOf(library);
}

function devicesOf({ addon }: OpenLibrary): GpuDevices {
  return { names: addon.getGpuDeviceInfo().deviceNames, totalBytes: addon.getGpuVramInfo().total };
}

async function outputsOf(model: NativeModel): Promise<number[]> {
  const context = await model.createContext({
    sequences: 1,
    contextTokens,
    batchTokens: contextTokens,
    threads: 1,
    embeddings: false,
  });
  const sampler = model.createSampler();
  try {
    sampler.applyConfig({ temperature: 0, seed: 0 });
    const outputs: number[] = [];
    let position = 0;
    for (const length of batches) {
      const first = position;
      const tokens = Uint32Array.from({ length }, (_, i) => 40 + first + i);
      context.initBatch(length);
      const [place = 0] = context.addToBatch(0, first, tokens, Uint32Array.of(length - 1));
      await context.decodeBatch();
      const [, , , pairs] = await context.sampleToken(place, sampler, false, false, true);
      const logits: number[] = [];
      for (let at = 0; at < pairs.length; at += 2) logits[pairs[at] ?? 0] = pairs[at + 1] ?? 0;
      outputs.push(...logits);
      position += length;
    }
    return outputs;
  } finally {
    sampler.dispose();
    await context.dispose();
  }
}

/** Cosine of the angle between them. */
function agreementOf(a: readonly number[], b: readonly number[]): number {
  const dot = (x: readonly number[], y: readonly number[]) => x.reduce((sum, value, i) => sum + value * (y[i] ?? 0), 0);
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
}
