import type { Sql } from '#db';
import { fault, isId } from '#kernel';
import { storedEvent } from '../assessment/stored-event.ts';
import { negativePolicy } from '../policy/negative-policy.ts';
import type { EventState } from './event.ts';
import { lockEvents } from './events.store.ts';
import { updateState } from './moves.store.ts';
import { openState } from './new-event.ts';
import { noSuchEvent } from './read-events.ts';

export type Move = { to: 'skipped'; reason: string | null } | { to: 'open' };

/** Skips an event or restores it. What is there already stays as it is. Throws `not_found`, `state_conflict` (promoted). */
export async function moveEvent(
  tx: Sql,
  { datasetId, id }: { datasetId: string; id: string },
  move: Move,
): Promise<void> {
  const [row] = isId('rev', id) ? await lockEvents(tx, datasetId, [id]) : [];
  if (!row) throw noSuchEvent();
  if (row.state === 'promoted') throw isPromoted();
  const isSkipped = row.state === 'skipped';
  if (isSkipped === (move.to === 'skipped')) return;
  const next =
    move.to === 'skipped'
      ? { state: 'skipped' as const, skippedReason: move.reason }
      : { state: openState(storedEvent(row).judgments, negativePolicy.minStrength), skippedReason: null };
  await updateState(tx, { datasetId, id, ...next });
}

const movable: EventState[] = ['pending', 'needs_judgment', 'skipped'];

function isPromoted() {
  return fault('state_conflict', {
    message: 'This event was promoted: what it taught is an example now.',
    details: { state: 'promoted', allowed_from: movable },
  });
}
