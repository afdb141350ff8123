import type { Dataset, Datasets } from '#datasets';
import type { Sql } from '#db';
import { fault, isId } from '#kernel';
import { type AssessedEvent, assess } from '../assessment/assess.ts';
import { findEvents, type StoredEvent } from './events.store.ts';

export type ReadDeps = { sql: Sql; datasets: Datasets };

/** Events are large: so many are in memory at a time. */
const chunk = 25;

/** Events with what they would teach, each given away as soon as it is read; those that are gone are left out. */
export async function showEvents<Shown>(
  deps: ReadDeps,
  { dataset, ids }: { dataset: Dataset; ids: readonly string[] },
  show: (assessed: AssessedEvent) => Shown,
): Promise<Map<string, Shown>> {
  const shown = new Map<string, Shown>();
  for (let at = 0; at < ids.length; at += chunk) {
    const events = await findEvents(deps.sql, dataset.id, ids.slice(at, at + chunk));
    for (const assessed of await assess(deps, dataset, events)) shown.set(assessed.event.id, show(assessed));
  }
  return shown;
}

export async function readEvent(deps: ReadDeps, dataset: Dataset, id: string): Promise<AssessedEvent> {
  const [assessed] = await assess(deps, dataset, [await findEvent(deps.sql, dataset.id, id)]);
  if (!assessed) throw noSuchEvent();
  return assessed;
}

export async function findEvent(sql: Sql, datasetId: string, id: string): Promise<StoredEvent> {
  const [event] = isId('rev', id) ? await findEvents(sql, datasetId, [id]) : [];
  if (!event) throw noSuchEvent();
  return event;
}

export function noSuchEvent() {
  return fault('not_found', { message: 'There is no such retrieval event.' });
}
