import { EventEmitter, once } from 'node:events';

/** Notifies the readers of a job in this process that something about it has changed. */
export type Changes = {
  tell: (jobId: string) => void;
  /** Resolves with the next change, or after a while: jobs change elsewhere, too. Rejects never. */
  next: (jobId: string, signal: AbortSignal) => Promise<void>;
};

const longestMs = 1_000;

export function createChanges(): Changes {
  const emitter = new EventEmitter().setMaxListeners(0);
  return {
    tell: (jobId) => void emitter.emit(jobId),
    next: async (jobId, signal) => {
      const either = AbortSignal.any([signal, AbortSignal.timeout(longestMs)]);
      await once(emitter, jobId, { signal: either }).catch(() => {});
    },
  };
}
