import { EventEmitter, once } from 'node:events';

/** Notifies the readers of a job in this process that something about it has changed. */
export type JobChanges = {
  notify: (jobId: string) => void;
  /** Resolves with the next change, or after a while: jobs change elsewhere, too. Rejects never. */
  next: (jobId: string, signal: AbortSignal) => Promise<void>;
};

const maxWaitMs = 1_000;

export function createJobChanges(): JobChanges {
  const emitter = new EventEmitter().setMaxListeners(0);
  return {
    notify: (jobId) => void emitter.emit(jobId),
    next: async (jobId, signal) => {
      const either = AbortSignal.any([signal, AbortSignal.timeout(maxWaitMs)]);
      await once(emitter, jobId, { signal: either }).catch(() => {});
    },
  };
}
