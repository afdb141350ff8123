import { hash } from 'node:crypto';
import { searchWords } from '#datasets';
import { hasPositive } from '../policy/result-judgments.ts';
import type { EventDetails, EventState, Judgment, ReportedEvent } from './event.ts';

export type NewEvent = {
  datasetId: string;
  id: string;
  externalId: string | null;
  /** SHA-256 in hex of everything but the judgments: two events with one external id must be the same event. */
  digest: string;
  state: OpenState;
  query: string;
  /** JSON. */
  results: string;
  judgments: string;
  model: string | null;
  /** JSON; empty when there are none. */
  details: string;
  words: string;
};

/** What an event is before anybody decided about it. */
export type OpenState = Extract<EventState, 'pending' | 'needs_judgment'>;

export type EventAddress = { datasetId: string; id: string };

export function newEvent(event: ReportedEvent, address: EventAddress, minStrength: number): NewEvent {
  const { externalId, query, judgments, model } = event;
  const results = JSON.stringify(event.results);
  const details = detailsOf(event.details);
  return {
    ...address,
    externalId,
    digest: hash('sha256', `${JSON.stringify([query, model])}\n${results}\n${details}`, 'hex'),
    state: openState(judgments, minStrength),
    query,
    results,
    judgments: JSON.stringify(judgments),
    model,
    details,
    words: searchWords({ query, positives: [], negatives: [] }),
  };
}

/** Without a positive there is nothing to promote. */
export function openState(judgments: readonly Judgment[], minStrength: number): OpenState {
  return hasPositive(judgments, minStrength) ? 'pending' : 'needs_judgment';
}

function detailsOf(details: EventDetails): string {
  const { index_id: index, request_id: request, user_ref: user, occurred_at: at, metadata } = details;
  const isEmpty = index === null && request === null && user === null && at === null;
  return isEmpty && Object.keys(metadata).length === 0 ? '' : JSON.stringify(details);
}
