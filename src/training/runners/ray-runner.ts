import { storable } from '#kernel';
import type { AttemptName } from '../jobs/job.ts';
import { exitCodes } from './protocol.ts';
import {
  attemptOfSubmission,
  RayClient,
  type RayEndpoint,
  type RayJob,
  type RayTerms,
  RayUnreachable,
  submissionId,
  submissionOf,
  uploadPackage,
} from './ray-client.ts';
import { RayJobRun } from './ray-job.ts';
import { longestSilenceMs, type Runner, type RunnerLine, type TrainerOutcome, type TrainerStart } from './runner.ts';
import { SharedAttempt, type SharedFolder } from './shared-folder.ts';
import { exists, StartFolder } from './start-folder.ts';
import { trainerFolder } from './trainer-program.ts';

export type RayRunnerOptions = RayEndpoint &
  RayTerms & {
    shared: SharedFolder;
    pendingMs: number;
    unreachableMs?: number;
    silenceMs?: number;
    packageFolder?: string;
  };

/** A start of an attempt: what this server keeps of it, its job on the cluster, and where the two exchange files. */
type RayStart = { run: TrainerStart; folder: StartFolder; job: RayJobRun; shared: SharedAttempt };

/** Runs attempts as jobs of a Ray cluster; they go on while this server is away. */
export function createRayRunner(options: RayRunnerOptions): Runner {
  const { unreachableMs = 600_000, silenceMs = longestSilenceMs, packageFolder = trainerFolder() } = options;
  const client = new RayClient(options);
  const { pendingMs } = options;
  const active = new Map<string, RayStart>();

  function openStart(run: TrainerStart): RayStart {
    const folder = new StartFolder(run.specFolder, run);
    const shared = new SharedAttempt(options.shared, run);
    return { run, folder, shared, job: new RayJobRun(client, submissionId(run), { folder, shared, unreachableMs }) };
  }

  async function* submit({ run, job, shared }: RayStart, signal: AbortSignal): AsyncGenerator<RunnerLine> {
    // A start that counts as lost may only have been unreachable: it is removed first, because two must not train at
    // the same time.
    if (run.restart) await clearAway(openStart({ ...run, restart: run.restart - 1 }), signal);
    yield { text: 'Putting the data where the workers see them.', line: 0 };
    await shared.layOut();
    const workingDir = await job.retryWhileUnreachable(() => uploadPackage(client, packageFolder), signal);
    yield { text: 'Waiting for capacity on the Ray cluster.', line: 0 };
    const { specPath, outputPathThere: outputPath } = shared;
    await job.submit(submissionOf({ ...run, specPath, outputPath, workingDir }, options), signal);
  }

  async function* follow(start: RayStart, signal: AbortSignal): AsyncGenerator<RunnerLine, TrainerOutcome> {
    const { run, folder, job, shared } = start;
    if ((await job.find(signal)) === null) {
      if (await job.wasSubmitted()) return lost('Ray does not know the trainer any more.', start);
      if (await folder.isCanceled()) return { kind: 'exited', code: exitCodes.cancelled };
      yield* submit(start, signal);
      if (await folder.isCanceled()) await job.stop(signal);
    }
    const ended = yield* job.follow(run, { signal, pendingMs, silenceMs });
    if (ended === null) return lost('Ray does not know the trainer any more.', start);
    // What kept the trainer from printing anything itself.
    if (ended.status === 'FAILED' && (await shared.isThere()) && !(await exists(shared.outputPath)))
      yield { text: storable(ended.message.slice(0, 2_000)), line: 0 };
    return bringHome(ended, start);
  }

  return {
    name: 'ray',
    async *run(run, signal) {
      signal.throwIfAborted();
      const start = openStart(run);
      await start.folder.make();
      active.set(start.job.id, start);
      try {
        return yield* follow(start, signal);
      } catch (error) {
        if (error instanceof RayUnreachable) return lost(error.message, start);
        throw error;
      } finally {
        if (active.get(start.job.id) === start) active.delete(start.job.id);
      }
    },
    async cancel(ref) {
      const start = active.get(submissionId(ref));
      if (!start) return;
      await start.folder.markCanceled();
      await start.job.stop(AbortSignal.timeout(unreachableMs));
    },
    async sweep(areOver) {
      const live = (await liveStarts(client)).flatMap((id) => {
        const name = attemptOfSubmission(id);
        return name ? [{ id, name }] : [];
      });
      if (live.length === 0) return;
      const over = new Set((await areOver(live.map(({ name }) => name))).map(textOf));
      for (const { id, name } of live) if (over.has(textOf(name))) await client.stop(id);
    },
    close: async () => {},
  };
}

/** None while Ray is away. */
async function liveStarts(client: RayClient): Promise<string[]> {
  try {
    return await client.listLive();
  } catch (error) {
    if (error instanceof RayUnreachable) return [];
    throw error;
  }
}

const textOf = ({ jobId, attempt }: AttemptName) => `${jobId} ${attempt}`;

/** What it wrote has been brought back as far as it could be; what it may still write is of no use. */
async function clearAway({ job, shared }: RayStart, signal: AbortSignal): Promise<void> {
  await job.stop(signal);
  await shared.remove().catch(() => {});
}

async function bringHome(ended: RayJob, { folder, job, shared }: RayStart): Promise<TrainerOutcome> {
  await shared.bringAll(folder.outputPath);
  if (await shared.isThere()) {
    await job.noteBrought();
    await shared.remove();
  } else if (ended.status === 'SUCCEEDED' && !(await job.wasBrought())) {
    return { kind: 'lost', reason: 'What the trainer wrote went to a server that is gone.' };
  }
  return outcomeOf(ended, await folder.isCanceled());
}

/** Checkpoints that it wrote may be all that is left of it. */
async function lost(reason: string, { shared, folder }: RayStart): Promise<TrainerOutcome> {
  await shared.bringAll(folder.outputPath);
  return { kind: 'lost', reason };
}

function outcomeOf({ status, message, exitCode }: RayJob, isCanceled: boolean): TrainerOutcome {
  if (status === 'SUCCEEDED') return { kind: 'exited', code: exitCodes.done };
  if (status === 'FAILED' && exitCode !== null && exitCode > 0 && exitCode < 128)
    return { kind: 'exited', code: exitCode };
  if (isCanceled) return { kind: 'exited', code: exitCodes.cancelled };
  const [line = ''] = message.split('\n');
  return {
    kind: 'lost',
    reason: status === 'STOPPED' ? 'The trainer was stopped on the Ray cluster.' : storable(line.slice(0, 300)),
  };
}
