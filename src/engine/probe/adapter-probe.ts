import { fileURLToPath } from 'node:url';
import { type ChildCommand, type Log, startProcess } from '../llama/process.ts';
import type { FromProbe, ProbeValues, ToProbe } from './probe-protocol.ts';

type ProbeQuestion = Omit<Extract<ToProbe, { type: 'probe' }>, 'type'>;

/** Loads a base model with an adapter, away from those who are served, and tells what it says with it and without it. */
export type AdapterProbe = (question: ProbeQuestion, signal: AbortSignal) => Promise<ProbeValues[]>;

export type AdapterProbeOptions = {
  environment?: Record<string, string | undefined>;
  log: Log;
  /** Replaces the child's program. */
  command?: ChildCommand;
};

/** A file that takes the process with it takes only the child. Rejects with the reason why it cannot be loaded. */
export function createAdapterProbe({ environment = {}, log, command }: AdapterProbeOptions): AdapterProbe {
  return async (question, signal) => {
    signal.throwIfAborted();
    const answer = Promise.withResolvers<ProbeValues[]>();
    const child = startProcess<ToProbe, FromProbe>(
      {
        ...{ environment, modelId: 'adapter probe', log },
        command: command ?? { execPath: process.execPath, script: childScript() },
      },
      {
        message: (message) => {
          if (message.type === 'probed') answer.resolve(message.values);
          else answer.reject(new Error(message.message));
        },
        gone: ({ reason, tail }) => answer.reject(new Error(`The process ended: ${reason} ${tail}`.trim())),
      },
    );
    const abort = () => answer.reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    try {
      child.send({ type: 'probe', ...question });
      return await answer.promise;
    } finally {
      signal.removeEventListener('abort', abort);
      await child.stop();
    }
  };
}

function childScript(): string {
  return fileURLToPath(new URL('./probe-child.ts', import.meta.url));
}
