import { Readable } from 'node:stream';
import type { Runner } from '../runners/runner.ts';
import type { WorkerDeps } from './lease.ts';

type Scripted = Pick<WorkerDeps, 'database' | 'root'> & Partial<WorkerDeps> & Pick<Runner, 'run'> & Partial<Runner>;

/** What a worker works with whose trainer does what `run` says, from a snapshot of nothing. */
export function workerWith({ run, cancel = async () => {}, ...parts }: Scripted): WorkerDeps {
  const silent = () => {};
  const counts = { examples: 0, dropped: {} };
  const file = { bytes: 0, sha256: 'a'.repeat(64), samples: 0 };
  // as: what such a worker asks for.
  return {
    onChange: silent,
    onCharge: silent,
    deploy: async () => {},
    objects: { get: async () => Readable.from([]) },
    runner: { name: 'local', run, cancel, close: async () => {} },
    makeSnapshot: async () => ({
      sha256: 'a'.repeat(64),
      kind: 'sft',
      padId: 0,
      counts,
      files: { train: file, eval: file },
    }),
    weightsOf: async () => ({ dir: '/', arch: 'llama' }),
    timing: { heartbeatMs: 20, leaseSeconds: 3_600, batchMs: 1, checkpointSeconds: 600 },
    log: { info: silent, warn: silent },
    ...parts,
  } as unknown as WorkerDeps;
}
