import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isProcessRunning } from '#processes';
import type { TrainerSpec } from './protocol.ts';
import { isEvent, type Runner, type RunnerLine, type TrainerOutcome, type TrainerStart } from './runner.ts';

/** The interpreter itself: what stands in front of it on some machines changes the environment. */
export function findPython(): string {
  return execFileSync('python3', ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' }).trim();
}

export const protocolTrainer = fileURLToPath(new URL('./protocol-trainer.fixture.py', import.meta.url));

/** Folders of attempts, removed at the end. */
export async function openAttempts() {
  const root = await mkdtemp(join(tmpdir(), 'fanfold-attempts-'));
  let made = 0;
  return {
    root,
    /** A new attempt of so many steps of 10 ms; `words` say what goes wrong in it. */
    async attempt({ steps = 5, words = '' } = {}): Promise<TrainerStart> {
      made++;
      const jobId = `job${made}`;
      const specFolder = join(root, jobId, '1');
      const spec = specOf({ jobId, steps, words });
      await mkdir(specFolder, { recursive: true });
      await writeFile(join(specFolder, 'spec.json'), JSON.stringify(spec));
      return { jobId, attempt: 1, specFolder, spec, afterSeq: 0 };
    },
    remove: () => rm(root, { recursive: true, force: true }),
  };
}

function specOf({ jobId, steps, words }: { jobId: string; steps: number; words: string }): TrainerSpec {
  return {
    protocol: 1,
    job_id: jobId,
    attempt: 1,
    kind: 'sft',
    base: { dir: '/nowhere', arch: 'qwen3', sha256: 'a'.repeat(64), name: words },
    data: { train: 'train.jsonl', eval: null, control: null, sha256: {}, pad_id: 0 },
    lora: { r: 8, alpha: 16, targets: ['q_proj'] },
    optim: { lr: 1e-3, epochs: 1, max_steps: steps, batch: 8, micro_batch: null, warmup: 0.1, seed: 7 },
    limits: { max_active_ms: null, max_rss_mb: null },
    device: 'cpu',
    dtype: 'fp32',
    checkpoint_every_s: 60,
    keep: 2,
    resume_from: null,
    out_dir: 'out',
  };
}

export type Followed = { lines: RunnerLine[]; outcome: TrainerOutcome };

/** Follows an attempt to its end; `see` is called with every line. */
export async function follow(
  runner: Runner,
  run: TrainerStart,
  { signal = new AbortController().signal, see = (_line: RunnerLine) => {} } = {},
): Promise<Followed> {
  const lines: RunnerLine[] = [];
  const running = runner.run(run, signal);
  for (;;) {
    const { done, value } = await running.next();
    if (done) return { lines, outcome: value };
    lines.push(value);
    see(value);
  }
}

export const eventsOf = ({ lines }: Pick<Followed, 'lines'>) => lines.filter(isEvent);
export const textsOf = ({ lines }: Pick<Followed, 'lines'>) =>
  lines.flatMap((line) => (isEvent(line) || line.line === 0 ? [] : [line]));

const done: TrainerOutcome = { kind: 'exited', code: 0 };
const canceled: TrainerOutcome = { kind: 'exited', code: 10 };

type RunnerStage = {
  /** A runner that knows nothing of those before it, as after a restart of the server. */
  open: (options?: { silenceMs?: number; killAfterMs?: number }) => Runner;
  attempts: Awaited<ReturnType<typeof openAttempts>>;
};

/** What every runner promises. */
export function runnerSuite(name: 'local' | 'ray', stage: () => RunnerStage): void {
  // They wait more than they work.
  describe(name, { concurrency: 3 }, () => promises(stage));
}

function promises(stage: () => RunnerStage): void {
  test('an attempt is told whole and in order, and what it wrote is there at its end', async () => {
    const { open, attempts } = stage();
    const run = await attempts.attempt();
    const followed = await follow(open(), run);
    assert.deepEqual(followed.outcome, done);
    const events = eventsOf(followed);
    assert.deepEqual(
      events.map(({ seq }) => seq),
      [1, 2, 3, 4, 5, 6, 7, 8],
    );
    assert.deepEqual(
      events.map(({ event }) => event),
      ['hello', 'started', ...Array<string>(5).fill('progress'), 'finished'],
    );
    const texts = textsOf(followed);
    assert.deepEqual(
      texts.map(({ text }) => text),
      [...[1, 2, 3, 4, 5].map((step) => `text ${step}`), 'a last line without an end'],
    );
    const first = texts[0]?.line ?? 0;
    assert.deepEqual(
      texts.map(({ line }) => line),
      [0, 1, 2, 3, 4, 5].map((index) => first + index),
    );
    assert.equal(await readFile(join(run.specFolder, 'out/result.txt'), 'utf8'), `${run.jobId} 5`);

    const again = await follow(open(), { ...run, afterSeq: 6, afterLine: first + 3 });
    assert.deepEqual(again.outcome, done);
    assert.deepEqual(
      again.lines.map((line) => (isEvent(line) ? line.event : line.text)),
      ['progress', 'text 5', 'finished', 'a last line without an end'],
    );
  });

  test('another runner takes over an attempt that runs, without a gap and without a second start', async () => {
    const { open, attempts } = stage();
    const run = await attempts.attempt({ steps: 60 });
    const second: { followed: Promise<Followed> | null } = { followed: null };
    const first = await follow(open(), run, {
      see: (line) => {
        if (isEvent(line) && line.seq === 4) second.followed = follow(open(), { ...run, afterSeq: 4 });
      },
    });
    const later = await second.followed;
    assert.ok(later);
    assert.deepEqual([first.outcome, later.outcome], [done, done]);
    const all = eventsOf(first);
    assert.deepEqual(
      all.map(({ seq }) => seq),
      Array.from({ length: 63 }, (_, index) => index + 1),
    );
    assert.deepEqual(eventsOf(later), all.slice(4));
  });

  test('an attempt that is canceled writes what it has and ends; one that does not listen is killed', async () => {
    const { open, attempts } = stage();
    const willing = await attempts.attempt({ steps: 3000 });
    const deaf = await attempts.attempt({ steps: 3000, words: 'deaf child' });
    const cancelAtStart = (runner: Runner, run: TrainerStart) => {
      const see = (line: RunnerLine) => {
        if (isEvent(line) && line.event === 'started') void runner.cancel(run);
      };
      return follow(runner, run, { see });
    };
    const [ended, killed] = await Promise.all([
      cancelAtStart(open(), willing),
      cancelAtStart(open({ killAfterMs: 1_000 }), deaf),
    ]);
    assert.deepEqual([ended.outcome, killed.outcome], [canceled, canceled]);
    assert.equal(eventsOf(ended).at(-1)?.event, 'cancelled');
    assert.match(await readFile(join(willing.specFolder, 'out/result.txt'), 'utf8'), /^job/);
    const child = Number(
      textsOf(killed)
        .find(({ text }) => text.startsWith('CHILD'))
        ?.text.split(' ')[1],
    );
    assert.ok(child > 1);
    // Whoever is killed needs his turn at the processor to go.
    const deadline = performance.now() + 60_000;
    while ((await isProcessRunning(child, 'sleep')) && performance.now() < deadline) await sleep(20);
    assert.equal(await isProcessRunning(child, 'sleep'), false);
  });

  test('what ends without a word is lost, what fails tells its code, and garbage is text', async () => {
    const { open, attempts } = stage();
    const runner = open();
    const [lost, failed, garbage] = await Promise.all(
      ['crash', 'bad', 'garbage'].map(async (words) => follow(runner, await attempts.attempt({ words }))),
    );
    assert.equal(lost?.outcome.kind, 'lost');
    assert.deepEqual(failed?.outcome, { kind: 'exited', code: 20 });
    assert.ok(garbage);
    assert.deepEqual(garbage.outcome, done);
    assert.deepEqual(
      eventsOf(garbage).map(({ seq }) => seq),
      [1, 2, 3, 4, 5, 6, 7, 8],
    );
    assert.ok(textsOf(garbage).some(({ text }) => /^x{4000} \.\.\.$/.test(text)));
  });

  test('an attempt that says nothing any more is lost', async () => {
    const { open, attempts } = stage();
    const run = await attempts.attempt({ words: 'hang deaf' });
    const { outcome } = await follow(open({ silenceMs: 1_500, killAfterMs: 1_000 }), run);
    assert.deepEqual(outcome, { kind: 'lost', reason: 'The trainer said nothing for too long.' });
  });
}
