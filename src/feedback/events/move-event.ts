import type { Sql } from '#db';
import { fault, isId } from '#kernel';
import { negativePolicy } from '../policy/negative-policy.ts';
import type { EventState } from './event.ts';
import { findEvents, updateState } from './events.store.ts';
import { openState } from './new-event.ts';
import { noSuchEvent } from './read-events.ts';

export type EventMove = { to: 'skipped'; reason: string | null } | { to: 'open' };

/** Skips an event or restores it. What is there already stays as it is. Throws `not_found`, `state_conflict` (promoted). */
export async function moveEvent(
  tx: Sql,
  { datasetId, id }: { datasetId: string; id: string },
  move: EventMove,
): Promise<void> {
  const [event] = isId('rev', id) ? await findEvents(tx, datasetId, [id], { lock: true }) : [];
  if (!event) throw noSuchEvent();
  if (event.state === 'promoted') throw isPromoted();
  const isSkipped = event.state === 'skipped';
  if (isSkipped === (move.to === 'skipped')) return;
  const next =
    move.to === 'skipped'
      ? { state: 'skipped' as const, skippedReason: move.reason }
      : { state: openState(event.judgments, negativePolicy.minStrength), skippedReason: null };
  await updateState(tx, { datasetId, id, ...next });
}

const movable: EventState[] = ['pending', 'needs_judgment', 'skipped'];

function isPromoted() {
  return fault('state_conflict', {
    message: 'This event was promoted: what it taught is an example now.',
    details: { state: 'promoted', allowed_from: movable },
  });
}
