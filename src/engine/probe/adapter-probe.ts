import { fileURLToPath } from 'node:url';
import { type ProcessEnvironment, RequestProcess } from '#processes';
import { type EngineLog, engineProcess } from '../llama/engine-process.ts';

/** What a model says with and without an adapter, by token ids; one child process per request. */
export type ProbeRequest = {
  ggufPath: string;
  adapterPath: string;
  kind: 'text' | 'embedding';
  /** Token ids; of each sample the logits behind its last token are returned, or its vector. */
  samples: number[][];
};

export type ProbeValues = { base: number[]; adapted: number[] };

/** Loads a base model with an adapter, away from those who are served, and returns what it says with it and without it. */
export type AdapterProbe = (request: ProbeRequest, signal: AbortSignal) => Promise<ProbeValues[]>;

export type AdapterProbeOptions = { environment?: ProcessEnvironment; log: EngineLog };

const timeoutMs = 3_600_000;
const script = new URL('./probe-child.ts', import.meta.url);

/** A file that takes the process with it takes only the child. Rejects with the reason why it cannot be loaded. */
export function createAdapterProbe({ environment = {}, log }: AdapterProbeOptions): AdapterProbe {
  return async (request, signal) => {
    signal.throwIfAborted();
    const child = new RequestProcess<ProbeRequest, ProbeValues[]>({
      ...engineProcess({ script: fileURLToPath(script), environment, name: 'adapter probe', log }),
      timeoutMs,
      idleMs: timeoutMs,
    });
    const aborted = Promise.withResolvers<never>();
    const abort = () => aborted.reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    try {
      return await Promise.race([child.request(request), aborted.promise]);
    } finally {
      signal.removeEventListener('abort', abort);
      await child.stop();
    }
  };
}
