import type { AttemptName } from '../jobs/job.ts';
import type { TrainerSpec } from './protocol.ts';
import type { TrainerEvent } from './trainer-events.ts';

/**
 * One start of a trainer. What was interrupted goes on as the same attempt with the next `restart` (from 0, the default),
 * in the same folder, with `resume_from` in its specification.
 */
export type AttemptRef = AttemptName & { restart?: number };

/**
 * How an attempt ended: with an exit code of the protocol, or lost, when it is gone and nobody knows how: killed, or on a
 * machine that is gone. A lost attempt may have left checkpoints.
 */
export type TrainerOutcome = { kind: 'exited'; code: number } | { kind: 'lost'; reason: string };

/** A line that is no event. Lines of the trainer are numbered from 1; 0: one of the runner, which does not come again. */
type TextLine = { text: string; line: number };

export type RunnerLine = TrainerEvent | TextLine;

export type TrainerStart = AttemptRef & {
  /** Holds `spec.json` and the files that it names; the trainer writes into its `out_dir`. */
  specFolder: string;
  spec: TrainerSpec;
  /** Events up to this number are known already and left out. */
  afterSeq: number;
  /** So are lines of text up to this one of the same start. */
  afterLine?: number;
};

type AreOver = (attempts: readonly AttemptName[]) => Promise<readonly AttemptName[]>;

export type Runner = {
  readonly name: 'local' | 'ray';
  /**
   * Starts the attempt, or attaches to it where it already runs or has ended, and yields what it says, events in their
   * order and none twice, until it ends; returns how it ended, when everything that it wrote is in `specFolder`. An
   * aborted signal detaches: the generator throws the signal's reason, and what becomes of the attempt is the runner's
   * matter: a local one checkpoints and ends (75), one on Ray goes on.
   */
  run: (run: TrainerStart, signal: AbortSignal) => AsyncGenerator<RunnerLine, TrainerOutcome>;
  /** Lets the attempt write a checkpoint and end (10); kills it after 30 s. Does nothing where it does not run. */
  cancel: (attempt: AttemptRef) => Promise<void>;
  /**
   * Ends what still runs of attempts that are over: a start that outlives its server may learn for hours for nobody. `areOver` tells
   * which of these are. Not there where starts end by themselves.
   */
  sweep?: (areOver: AreOver) => Promise<void>;
  /** Ends what a server that died may have left behind on this machine, and lets go of everything. */
  close: () => Promise<void>;
};

/** A trainer that says nothing for so long is taken for lost. Large models take minutes to load. */
export const longestSilenceMs = 20 * 60_000;

export function isEvent(line: RunnerLine): line is TrainerEvent {
  return 'event' in line;
}
