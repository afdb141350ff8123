import { timeOfId } from '#kernel';
import type { EventDetails, EventResult, EventState, Judgment } from '../events/event.ts';
import type { EventRow } from '../events/events.store.ts';

/** An event as this room stored it, taken apart. */
export type StoredEvent = {
  datasetId: string;
  id: string;
  externalId: string | null;
  state: EventState;
  query: string;
  results: EventResult[];
  judgments: Judgment[];
  model: string | null;
  details: EventDetails;
  skippedReason: string | null;
  exampleIds: string[];
  promotedAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
};

const noDetails: EventDetails = {
  index_id: null,
  request_id: null,
  user_ref: null,
  occurred_at: null,
  metadata: {},
};

export function storedEvent({ results, judgments, details, updatedAt, ...row }: EventRow): StoredEvent {
  const createdAt = new Date(timeOfId('rev', row.id) ?? 0);
  return {
    ...row,
    // as, three times: written by this room, in these shapes.
    results: JSON.parse(results) as EventResult[],
    judgments: JSON.parse(judgments) as Judgment[],
    details: details === null ? noDetails : (JSON.parse(details) as EventDetails),
    createdAt,
    updatedAt: updatedAt ?? createdAt,
  };
}
