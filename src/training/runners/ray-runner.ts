import { setTimeout as sleep } from 'node:timers/promises';
import { OutputReader } from './output-reader.ts';
import { exitCodes } from './protocol.ts';
import { RayClient, type RayJob, type RayPlace, RayUnreachable } from './ray-client.ts';
import { RayJobRun } from './ray-job.ts';
import { uploadPackage } from './ray-package.ts';
import { openTail } from './ray-tail.ts';
import {
  type AttemptRef,
  isEvent,
  longestSilenceMs,
  type Outcome,
  type Run,
  type Runner,
  type RunnerLine,
} from './runner.ts';
import { type SharedFolder, SharedPlace } from './shared-place.ts';
import { StartFolder } from './start-folder.ts';
import { fixedEnvironment, trainerFolder } from './trainer-program.ts';

export type RayRunnerOptions = RayPlace & {
  shared: SharedFolder;
  /** What an attempt reserves. */
  cpus: number;
  gpus: number;
  /** Time in which Ray must find room for an attempt, ms. */
  pendingMs: number;
  /** The interpreter on the workers. */
  python: string;
  /** Time that Ray may be away, ms. */
  unreachableMs?: number;
  killAfterMs?: number;
  /** Longest time without a word, ms. */
  silenceMs?: number;
  /** Replace the trainer. */
  packageFolder?: string;
  entrypoint?: string;
};

type Active = { job: RayJobRun; folder: StartFolder };
type Following = { run: Run; job: RayJobRun; place: SharedPlace; signal: AbortSignal };
/** What is known of the output so far, and since when. */
type Seen = { seq: number; line: number; sinceMs: number; isSilent: boolean };

const pollMs = 1_000;
/** From the end of the output to the end of the job. */
const restMs = 100;
const slowPollMs = 5_000;
/** What Ray itself writes into the output of a job. */
const ofRay = /^Running entrypoint for job |\sINFO job_manager\.py:\d+ /;

/** Runs attempts as jobs of a Ray cluster; they go on while this server is away. */
export function createRayRunner(options: RayRunnerOptions): Runner {
  const { unreachableMs = 600_000, killAfterMs = 30_000, silenceMs = longestSilenceMs } = options;
  const { packageFolder = trainerFolder() } = options;
  const client = new RayClient(options);
  const active = new Map<string, Active>();

  function openRun(run: Run): Active {
    const folder = new StartFolder(run.specFolder, run);
    return { folder, job: new RayJobRun(client, submissionId(run), { folder, unreachableMs }) };
  }

  async function* submit({ run, job, place, signal }: Following): AsyncGenerator<RunnerLine> {
    // What was lost may only have been out of sight: two must not learn at the same time.
    if (run.restart) await clearAway({ ...run, restart: run.restart - 1 }, signal);
    yield { text: 'Putting the data where the workers see them.', line: 0 };
    await place.layOut();
    const workingDir = await job.patiently(() => uploadPackage(client, packageFolder), signal);
    const { entrypoint = `${quoted(options.python)} -u -m fanfold_trainer.lora.train` } = options;
    const submission = {
      // Its exit code must be that of the trainer, not of a shell.
      entrypoint: `exec ${entrypoint} --spec ${quoted(place.specPath)}`,
      entrypoint_num_cpus: options.cpus,
      entrypoint_num_gpus: options.gpus,
      metadata: { job_id: run.jobId, attempt: String(run.attempt) },
      runtime_env: {
        working_dir: workingDir,
        env_vars: {
          ...fixedEnvironment,
          OMP_NUM_THREADS: String(Math.max(1, Math.floor(options.cpus))),
          // Ray kills after 3 s by itself, which is less than a checkpoint takes.
          RAY_JOB_STOP_WAIT_TIME_S: String(Math.ceil(killAfterMs / 1000)),
        },
      },
    };
    yield { text: 'Waiting for room on the Ray cluster.', line: 0 };
    await job.submit(submission, signal);
  }

  /** What it wrote has been brought back as far as it could be; what it may still write is of no use. */
  async function clearAway(before: Run, signal: AbortSignal): Promise<void> {
    await openRun(before).job.stop(signal);
    await new SharedPlace(options.shared, before).remove().catch(() => {});
  }

  async function* follow(following: Following): AsyncGenerator<RunnerLine, RayJob | null> {
    const { run, job, signal } = following;
    const { afterSeq: seq, afterLine: line = 0 } = run;
    const seen: Seen = { seq, line, sinceMs: performance.now(), isSilent: false };
    const deadline = performance.now() + options.pendingMs;
    for (let inVain = 0; ; ) {
      const found = await job.find(signal);
      if (found === null) return null;
      if (found.status === 'PENDING') {
        if (performance.now() > deadline) return giveUp(following);
        // One that waits has nothing to say.
        seen.sinceMs = performance.now();
        await pause(pollMs, signal);
      } else if (found.status === 'RUNNING') {
        const before = { ...seen };
        yield* tail(following, seen);
        inVain = seen.seq > before.seq || seen.line > before.line ? 0 : inVain + 1;
        await stopSilent(following, seen);
        // Not every way to Ray lets WebSockets through.
        if (inVain > 0) yield* whole(following, seen);
        await pause(Math.min(inVain * pollMs, slowPollMs) || restMs, signal);
      } else {
        yield* whole(following, seen, true);
        return seen.isSilent ? { ...found, status: 'FAILED', message: 'It said nothing for too long.' } : found;
      }
    }
  }

  /** Follows a job while Ray tells what it prints. */
  async function* tail(following: Following, seen: Seen): AsyncGenerator<RunnerLine> {
    const { job, signal } = following;
    const reader = readerFrom(seen);
    const open = await openTail(client, job.id);
    try {
      let next = open.next();
      for (;;) {
        const tick = pause(Math.min(slowPollMs, silenceMs), signal).then(() => 'silence' as const);
        const piece = await Promise.race([next, tick]);
        if (piece === null) return;
        if (piece === 'silence') {
          await stopSilent(following, seen);
          if ((await job.find(signal))?.status !== 'RUNNING') return;
          continue;
        }
        yield* told(reader.push(piece), following, seen);
        next = open.next();
      }
    } finally {
      open.close();
    }
  }

  /** All that a job has printed so far, as far as it is not known. */
  async function* whole(following: Following, seen: Seen, isLast = false): AsyncGenerator<RunnerLine> {
    const reader = readerFrom(seen);
    const logs = (await following.job.logs(following.signal)) ?? (await following.place.events());
    yield* told(reader.push(logs), following, seen);
    if (isLast) yield* told(reader.end(), following, seen);
  }

  /** One that hangs would do so for ever. */
  async function stopSilent({ job, signal }: Following, seen: Seen): Promise<void> {
    if (seen.isSilent || performance.now() - seen.sinceMs < silenceMs) return;
    seen.isSilent = true;
    await job.stop(signal);
  }

  async function giveUp({ run, job, signal }: Following): Promise<RayJob> {
    await job.stop(signal);
    const minutes = Math.round(options.pendingMs / 60_000);
    const message = `The Ray cluster found no room for attempt ${run.attempt} in ${minutes} minutes.`;
    return { status: 'FAILED', message, exitCode: null };
  }

  async function* attend(following: Following, { folder, job }: Active): AsyncGenerator<RunnerLine, Outcome> {
    const { place, signal } = following;
    if ((await job.find(signal)) === null) {
      if (await job.wasSubmitted()) return lost('Ray does not know it any more.', place);
      if (await folder.isCanceled()) return { kind: 'exited', code: exitCodes.cancelled };
      yield* submit(following);
      if (await folder.isCanceled()) await job.stop(signal);
    }
    const ended = yield* follow(following);
    if (ended === null) return lost('Ray does not know it any more.', place);
    await place.bringAll();
    if (await place.isThere()) {
      await job.noteBrought();
      await place.remove();
    } else if (ended.status === 'SUCCEEDED' && !(await job.wasBrought())) {
      return { kind: 'lost', reason: 'What it wrote went to a server that is gone.' };
    }
    return outcomeOf(ended, await folder.isCanceled());
  }

  return {
    name: 'ray',
    async *run(run, signal) {
      signal.throwIfAborted();
      const opened = openRun(run);
      const place = new SharedPlace(options.shared, run);
      await opened.folder.make();
      active.set(submissionId(run), opened);
      try {
        return yield* attend({ run, job: opened.job, place, signal }, opened);
      } catch (error) {
        if (error instanceof RayUnreachable) return lost(error.message, place);
        throw error;
      } finally {
        if (active.get(submissionId(run)) === opened) active.delete(submissionId(run));
      }
    },
    async cancel(ref) {
      const opened = active.get(submissionId(ref));
      if (!opened) return;
      await opened.folder.markCanceled();
      await opened.job.stop(AbortSignal.timeout(unreachableMs));
    },
    close: async () => {},
  };
}

/** The name of a start; a second submission of the same name is none. */
function submissionId({ jobId, attempt, restart = 0 }: AttemptRef): string {
  return `fanfold-${jobId}-a${attempt}${restart === 0 ? '' : `-r${restart}`}`;
}

function readerFrom({ seq, line }: Seen): OutputReader {
  return new OutputReader({ afterSeq: seq, afterLine: line });
}

/** Lines that are new; files that an event tells of are here before it is told. */
async function* told(lines: readonly RunnerLine[], { place }: Following, seen: Seen): AsyncGenerator<RunnerLine> {
  for (const line of lines) {
    seen.sinceMs = performance.now();
    if (isEvent(line)) {
      seen.seq = line.seq;
      if (line.event === 'checkpoint' || line.event === 'artifact') await place.bring(line.path);
    } else {
      seen.line = line.line;
      if (ofRay.test(line.text)) continue;
    }
    yield line;
  }
}

/** Checkpoints that it wrote may be all that is left of it. */
async function lost(reason: string, place: SharedPlace): Promise<Outcome> {
  await place.bringAll();
  return { kind: 'lost', reason };
}

function outcomeOf({ status, message, exitCode }: RayJob, isCanceled: boolean): Outcome {
  if (status === 'SUCCEEDED') return { kind: 'exited', code: exitCodes.done };
  if (status === 'FAILED' && exitCode !== null && exitCode > 0 && exitCode < 128)
    return { kind: 'exited', code: exitCode };
  if (isCanceled) return { kind: 'exited', code: exitCodes.cancelled };
  const [line = ''] = message.split('\n');
  return { kind: 'lost', reason: status === 'STOPPED' ? 'It was stopped on the Ray cluster.' : line.slice(0, 300) };
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => signal.throwIfAborted());
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
