import { type AttemptTimeouts, LocalAttempt, type TrainerCommand } from './local-attempt.ts';
import { followFile, OutputReader } from './output-reader.ts';
import { exitCodes } from './protocol.ts';
import {
  type AttemptRef,
  longestSilenceMs,
  type Runner,
  type RunnerLine,
  type TrainerOutcome,
  type TrainerStart,
} from './runner.ts';
import { StartFolder } from './start-folder.ts';

export type LocalRunnerOptions = Partial<AttemptTimeouts> & {
  /** Says what to run for a specification; what has to be made ready first tells of its progress in lines. */
  program: (run: TrainerStart, signal: AbortSignal) => AsyncGenerator<string, TrainerCommand>;
  /** Time that attempts have to write a checkpoint when the server stops, ms. */
  stopMs?: number;
};

type Active = { folder: StartFolder; canceled: AbortController; attempt: Promise<LocalAttempt> | null };

/** Runs attempts on this machine, each in a process group of its own that may outlive the server briefly. */
export function createLocalRunner(options: LocalRunnerOptions): Runner {
  const { program, killAfterMs = 30_000, orphanMs = 120_000, silenceMs = longestSilenceMs, stopMs = 10_000 } = options;
  const timeouts = { killAfterMs, orphanMs, silenceMs };
  const starts = new Map<string, Active>();

  function activeOf(run: TrainerStart): Active {
    const key = keyOf(run);
    const active = starts.get(key) ?? {
      folder: new StartFolder(run.specFolder, run),
      canceled: new AbortController(),
      attempt: null,
    };
    starts.set(key, active);
    return active;
  }

  /** The attempt that already runs or has ended, or a new one; null: it was canceled before it began. */
  async function* begin(
    run: TrainerStart,
    active: Active,
    signal: AbortSignal,
  ): AsyncGenerator<RunnerLine, LocalAttempt | null> {
    const { folder, canceled } = active;
    await folder.make();
    const found = active.attempt ? null : await LocalAttempt.find(folder, timeouts);
    if (found) active.attempt ??= Promise.resolve(found);
    if (active.attempt) return active.attempt;
    if (await folder.isCanceled()) return null;
    try {
      const made = yield* forward(program(run, AbortSignal.any([signal, canceled.signal])));
      signal.throwIfAborted();
      canceled.signal.throwIfAborted();
      // Nothing happens between the question and its answer, so that whoever asks too gets the same.
      active.attempt ??= LocalAttempt.start(folder, made, timeouts);
      return await active.attempt;
    } catch (error) {
      if (canceled.signal.aborted && !signal.aborted) return null;
      throw error;
    }
  }

  async function* follow(
    run: TrainerStart,
    attempt: LocalAttempt,
    signal: AbortSignal,
  ): AsyncGenerator<RunnerLine, TrainerOutcome> {
    const reader = new OutputReader(run);
    const pause = () => attempt.pause();
    const hasEnded = async () => {
      signal.throwIfAborted();
      return attempt.hasEnded();
    };
    for await (const bytes of followFile([attempt.folder.outputPath], { hasEnded, pause })) yield* reader.push(bytes);
    yield* reader.end();
    return attempt.outcome();
  }

  return {
    name: 'local',
    async *run(run, signal) {
      signal.throwIfAborted();
      const active = activeOf(run);
      let attempt: LocalAttempt | null = null;
      const detach = () => attempt?.detach();
      signal.addEventListener('abort', detach, { once: true });
      try {
        attempt = yield* begin(run, active, signal);
        return attempt === null ? canceledEarly : yield* follow(run, attempt, signal);
      } finally {
        signal.removeEventListener('abort', detach);
        attempt?.detach();
        if (attempt === null || attempt.isOver) starts.delete(keyOf(run));
      }
    },
    async cancel(ref) {
      const active = starts.get(keyOf(ref));
      if (!active) return;
      await active.folder.markCanceled();
      active.canceled.abort();
      (await active.attempt)?.cancel();
    },
    async close() {
      const attempts = await Promise.allSettled([...starts.values()].map(({ attempt }) => attempt));
      const made = attempts.flatMap((each) => (each.status === 'fulfilled' && each.value ? [each.value] : []));
      await Promise.all(made.map((attempt) => attempt.finish(stopMs)));
      starts.clear();
    },
  };
}

const canceledEarly: TrainerOutcome = { kind: 'exited', code: exitCodes.cancelled };

async function* forward<Result>(lines: AsyncGenerator<string, Result>): AsyncGenerator<RunnerLine, Result> {
  for (;;) {
    const next = await lines.next();
    if (next.done) return next.value;
    yield { text: next.value, line: 0 };
  }
}

function keyOf({ jobId, attempt, restart = 0 }: AttemptRef): string {
  return `${jobId} ${attempt} ${restart}`;
}
