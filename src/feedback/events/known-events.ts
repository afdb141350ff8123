import type { Database } from '#db';
import { type Judgment, limits } from './event.ts';
import { type NewEvent, openState } from './new-event.ts';
import { findKnownEvents, type KnownEvent, updateJudgments } from './report.store.ts';

export type ReportOutcome =
  | { status: 'created'; id: string }
  /** `isJudged`: it was there, and its new judgments were added. */
  | { status: 'duplicate'; id: string; isJudged: boolean }
  | { status: 'conflict'; message: string };

/**
 * Settles events whose external ids are taken: the same event is a duplicate, one that still waits for a positive takes
 * new judgments, anything else is a conflict. Null: it is gone meanwhile, so its external id is free.
 */
export async function settleKnown(
  database: Database,
  events: readonly NewEvent[],
  minStrength: number,
): Promise<(ReportOutcome | null)[]> {
  const seen = decide(events, await findKnownEvents(database, events, { lock: false }), minStrength);
  if (seen.judged.length === 0) return seen.outcomes;
  return database.transaction(async (tx) => {
    const { outcomes, judged } = decide(events, await findKnownEvents(tx, events, { lock: true }), minStrength);
    if (judged.length > 0) await updateJudgments(tx, judged);
    return outcomes;
  });
}

type Decisions = {
  outcomes: (ReportOutcome | null)[];
  judged: (KnownEvent & { state: 'pending' | 'needs_judgment' })[];
};

function decide(events: readonly NewEvent[], known: readonly KnownEvent[], minStrength: number): Decisions {
  const current = new Map(known.map((event) => [nameOf(event), event]));
  const judged = new Map<string, Decisions['judged'][number]>();
  const outcomes = events.map((event): ReportOutcome | null => {
    const name = nameOf(event);
    const before = current.get(name);
    if (!before) return null;
    if (before.digest !== event.digest) return { status: 'conflict', message: otherBody };
    // as: what this room has just written.
    const added = newJudgments(before.judgments, JSON.parse(event.judgments) as Judgment[]);
    if (added.length === 0) return { status: 'duplicate', id: before.id, isJudged: false };
    if (before.state !== 'needs_judgment') return { status: 'conflict', message: isDecided };
    const judgments = [...before.judgments, ...added];
    if (judgments.length > limits.maxJudgments) return { status: 'conflict', message: tooMany };
    const after = { ...before, judgments, state: openState(judgments, minStrength) };
    current.set(name, after);
    judged.set(name, after);
    return { status: 'duplicate', id: before.id, isJudged: true };
  });
  return { outcomes, judged: [...judged.values()] };
}

const nameOf = ({ datasetId, externalId }: Pick<NewEvent, 'datasetId' | 'externalId'>) => `${datasetId} ${externalId}`;

function newJudgments(before: readonly Judgment[], sent: readonly Judgment[]): Judgment[] {
  const known = new Set(before.map((judgment) => JSON.stringify(judgment)));
  return sent.filter((judgment) => {
    const text = JSON.stringify(judgment);
    return !known.has(text) && known.add(text);
  });
}

const otherBody = 'Another event has this external_id: only judgments may be added to it.';
const isDecided = 'The event of this external_id has a positive, or was decided about: it takes no more judgments.';
const tooMany = `An event has at most ${limits.maxJudgments} judgments, with those that it has already.`;
