import type { Schemas } from '../../api/generated/contract.ts';
import { listQuery, routeQuery } from '../../api/queries.ts';
import { textIn } from '../../routing/search-text.ts';
import { type DatasetPath, pathOf } from '../data/index.ts';

export type Event = Schemas['RetrievalEvent'];
export type EventDetail = Schemas['RetrievalEventDetail'];
type EventState = Event['state'];
export type Blocker = Event['blockers'][number];

/** Whether a person can still decide about it. */
export const isOpen = ({ state }: Pick<Event, 'state'>): boolean => state === 'pending' || state === 'needs_judgment';

export type EventPath = DatasetPath & { event: string };

export const eventsRoute = 'GET /api/v1/projects/{owner}/{project}/datasets/{dataset_id}/retrieval-events';

export const laterStates = ['needs_judgment', 'skipped', 'promoted'] as const satisfies readonly EventState[];
export const eventStates: readonly EventState[] = ['pending', ...laterStates];

export type EventsFilter = { state?: EventState | undefined; q?: string | undefined };
/** `share`: of the new queries, how many percent go to the test split. */
export type EventsSearch = EventsFilter & { event?: string | undefined; share?: number | undefined };

const defaultShare = 20;
export const greatestShare = 50;

export const testRatioOf = ({ share = defaultShare }: EventsSearch): number => share / 100;

export function readEventsSearch({ state, q, event, share }: Record<string, unknown>): EventsSearch {
  return {
    state: eventStates.find((each) => each === state),
    q: textIn(q, 500),
    event: typeof event === 'string' ? event : undefined,
    share: shareIn(share),
  };
}

function shareIn(value: unknown): number | undefined {
  const isShare = Number.isInteger(value) && Number(value) >= 0 && Number(value) <= greatestShare;
  return isShare && value !== defaultShare ? Number(value) : undefined;
}

export const stateOf = ({ state }: EventsFilter): EventState => state ?? 'pending';

export const eventsQuery = (at: DatasetPath, filter: EventsFilter) =>
  listQuery(['events', at.dataset, stateOf(filter), filter.q ?? ''], eventsRoute, {
    path: pathOf(at),
    query: { state: stateOf(filter), q: filter.q, limit: 100 },
  });

export const eventPath = (at: EventPath) => ({ ...pathOf(at), event_id: at.event });

export const eventQuery = (at: EventPath) =>
  routeQuery(
    ['event', at.event],
    'GET /api/v1/projects/{owner}/{project}/datasets/{dataset_id}/retrieval-events/{event_id}',
    { path: eventPath(at) },
  );
