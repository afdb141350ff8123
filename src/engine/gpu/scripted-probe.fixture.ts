import { setTimeout as sleep } from 'node:timers/promises';
import { serveRequests } from '#processes';
import type { GpuDevices, GpuProbeRequest } from './gpu-probe.ts';

/** What a probe of each backend does; in `GGML_SCRIPT` as JSON. */
export type ProbeScript = Record<
  string,
  'works' | 'crashes' | 'hangs' | 'exits' | 'fails' | 'lacks a library' | 'lacks the driver'
>;

// as: written by the test.
const script = JSON.parse(process.env['GGML_SCRIPT'] ?? '{}') as ProbeScript;

serveRequests(async ({ target }: GpuProbeRequest): Promise<GpuDevices> => {
  switch (script[target.backend]) {
    case 'works':
      return { names: ['A GPU', process.env['LD_LIBRARY_PATH'] ?? ''], totalBytes: 8e9 };
    case 'crashes':
      console.error('CUDA error: the provided PTX was compiled with an unsupported toolchain.');
      return process.abort();
    case 'hangs':
      return sleep(3_600_000, { names: [], totalBytes: 0 });
    case 'exits':
      return process.exit(0);
    case 'lacks a library':
      throw new Error('libcublas.so.12: cannot open shared object file: No such file or directory');
    case 'lacks the driver':
      throw new Error('libcuda.so.1: cannot open shared object file: No such file or directory');
    default:
      throw new Error(`${target.backend} finds no GPU.`);
  }
});
