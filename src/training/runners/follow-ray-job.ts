import { pause } from './pause.ts';
import type { RayJob } from './ray-client.ts';
import type { RayJobRun } from './ray-job.ts';
import type { RayOutput } from './ray-output.ts';
import type { RunnerLine } from './runner.ts';

const pollMs = 1_000;
const slowPollMs = 5_000;
/** From the end of the output to the end of the job. */
const restMs = 100;

type Following = {
  attempt: number;
  job: RayJobRun;
  output: RayOutput;
  signal: AbortSignal;
  /** Time in which Ray must find room for the attempt, ms. */
  pendingMs: number;
};

/** Tells what a job says until it ends; returns how, or null when Ray does not know it. */
export async function* followRayJob(following: Following): AsyncGenerator<RunnerLine, RayJob | null> {
  const { job, output, signal } = following;
  const deadline = performance.now() + following.pendingMs;
  for (let inVain = 0; ; ) {
    const found = await job.find(signal);
    if (found === null) return null;
    if (found.status === 'PENDING') {
      if (performance.now() > deadline) return giveUp(following);
      output.noteWaiting();
      await pause(pollMs, signal);
    } else if (found.status === 'RUNNING') {
      inVain = (yield* output.tail()) ? 0 : inVain + 1;
      await output.stopSilent();
      // Not every way to Ray lets WebSockets through.
      if (inVain > 0) yield* output.whole();
      await pause(Math.min(inVain * pollMs, slowPollMs) || restMs, signal);
    } else {
      yield* output.whole({ isLast: true });
      return output.isStopped
        ? { ...found, status: 'FAILED', message: 'The trainer said nothing for too long.' }
        : found;
    }
  }
}

async function giveUp({ attempt, job, signal, pendingMs }: Following): Promise<RayJob> {
  await job.stop(signal);
  const minutes = Math.round(pendingMs / 60_000);
  const message = `The Ray cluster found no room for attempt ${attempt} in ${minutes} minutes.`;
  return { status: 'FAILED', message, exitCode: null };
}
