import { type InfiniteData, type QueryClient, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { call, type ResponseOf } from '../../api/call.ts';
import { type DatasetPath, pathOf, refreshDataset } from '../data/index.ts';
import type { Split } from '../examples/index.ts';
import {
  type EventDetail,
  type EventPath,
  eventPath,
  eventQuery,
  eventStates,
  type eventsRoute,
} from './feedback-queries.ts';

const promoteRoute =
  'POST /api/v1/projects/{owner}/{project}/datasets/{dataset_id}/retrieval-events/{event_id}/promote';
const promoteManyRoute = 'POST /api/v1/projects/{owner}/{project}/datasets/{dataset_id}/retrieval-events/promote';

const skipRoute = 'PATCH /api/v1/projects/{owner}/{project}/datasets/{dataset_id}/retrieval-events/{event_id}/skip';
const restoreRoute =
  'PATCH /api/v1/projects/{owner}/{project}/datasets/{dataset_id}/retrieval-events/{event_id}/restore';

type Pages = InfiniteData<ResponseOf<typeof eventsRoute>>;
export type Promotion = ResponseOf<typeof promoteRoute>;
export type ManyPromoted = ResponseOf<typeof promoteManyRoute>;

/** The decision about an event; null: as suggested. */
export type Decision = { positives: number[] | null; negatives: number[] | null };

/** A split that a person chose, or the share of the queries that goes to tests. */
export type SplitRule = { split: Split } | { test_ratio: number };

const bodyOf = ({ positives, negatives }: Decision) => ({
  ...(positives && { positives }),
  ...(negatives && { negatives }),
});

const trialOf = (event: string) => ['event-dry-run', event];

/** After the decision a dry run would only be refused. */
const stopTrial = (queryClient: QueryClient, event: string) => queryClient.cancelQueries({ queryKey: trialOf(event) });

/** The example that an event would become. The former result stays until the new one is loaded. */
export const dryRunQuery = (at: EventPath, decision: Decision, rule: SplitRule) =>
  queryOptions({
    queryKey: [...trialOf(at.event), decision, rule],
    queryFn: ({ signal }) =>
      call(promoteRoute, {
        path: eventPath(at),
        body: { ...bodyOf(decision), ...rule, dry_run: true },
        signal,
      }),
    placeholderData: (before, query) => (query?.queryKey[1] === at.event ? before : undefined),
    retry: false,
    staleTime: 5_000,
  });

/** Both are called even if another event is shown by then, and once for each of several in flight. */
type Outcome = { onDone: (event: EventDetail, leaked: number) => void; onError: (error: unknown) => void };

export function usePromote(at: DatasetPath, { onDone, onError }: Outcome) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: ({ id, decision, rule }: { id: string; decision: Decision; rule: SplitRule }) =>
      call(promoteRoute, { path: eventPath({ ...at, event: id }), body: { ...bodyOf(decision), ...rule } }),
    onMutate: ({ id }) => stopTrial(queryClient, id),
    onSuccess: ({ event, leaked_queries: leaked }) => {
      onDone(event, leaked);
      settle(queryClient, at, event);
      void queryClient.invalidateQueries({ queryKey: ['examples', at.dataset] });
    },
    onError: (error, { id }) => {
      onError(error);
      void queryClient.invalidateQueries({ queryKey: trialOf(id) });
    },
  });
}

export function useSkip(at: DatasetPath, { onDone, onError }: Outcome) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: ({ id }: { id: string }) => call(skipRoute, { path: eventPath({ ...at, event: id }), body: {} }),
    onMutate: ({ id }) => stopTrial(queryClient, id),
    onSuccess: (event) => {
      onDone(event, 0);
      settle(queryClient, at, event);
    },
    onError: (error, { id }) => {
      onError(error);
      void queryClient.invalidateQueries({ queryKey: trialOf(id) });
    },
  });
}

export function useRestore(at: DatasetPath, { onDone, onError }: Outcome) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: ({ id }: { id: string }) => call(restoreRoute, { path: eventPath({ ...at, event: id }) }),
    onSuccess: (event) => {
      onDone(event, 0);
      settle(queryClient, at, event);
    },
    onError,
  });
}

/** Removed from other lists at once; the list of its new state is fetched when it is opened. */
function settle(queryClient: QueryClient, at: DatasetPath, event: EventDetail): void {
  queryClient.setQueryData(eventQuery({ ...at, event: event.id }).queryKey, event);
  for (const state of eventStates)
    if (state === event.state) void queryClient.invalidateQueries({ queryKey: ['events', at.dataset, state] });
    else
      queryClient.setQueriesData<Pages>({ queryKey: ['events', at.dataset, state] }, (pages) =>
        without(pages, event.id),
      );
  refreshDataset(queryClient, at);
}

function without(pages: Pages | undefined, id: string): Pages | undefined {
  if (!pages?.pages.some(({ data }) => data.some((row) => row.id === id))) return pages;
  return {
    ...pages,
    pages: pages.pages.map((page) => ({
      ...page,
      data: page.data.filter((row) => row.id !== id),
      total_count: page.total_count - 1,
    })),
  };
}

/** The selected events, or all pending ones. */
export type Many = { ids: string[] } | { q: string | undefined };

const manyBody = (many: Many) => ('ids' in many ? { ids: many.ids } : { filter: many.q ? { q: many.q } : {} });

export const manyDryRunQuery = (at: DatasetPath, many: Many, testRatio: number) =>
  queryOptions({
    queryKey: ['events-dry-run', at.dataset, many, testRatio],
    queryFn: ({ signal }) =>
      call(promoteManyRoute, {
        path: pathOf(at),
        body: { ...manyBody(many), test_ratio: testRatio, dry_run: true },
        signal,
      }),
    staleTime: 0,
    gcTime: 0,
    retry: false,
  });

type ManyResult = { promoted: number; leaked: number; stopped: string | null };

/** Repeats until nothing remains; `onProgress` gets the number of promoted events. */
export function usePromoteMany(at: DatasetPath, onProgress: (promoted: number) => void) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async ({ many, testRatio }: { many: Many; testRatio: number }): Promise<ManyResult> => {
      const result: ManyResult = { promoted: 0, leaked: 0, stopped: null };
      for (let after: string | null = null; ; ) {
        const body = { ...manyBody(many), test_ratio: testRatio, ...(after !== null && { after }) };
        const part: ManyPromoted = await call(promoteManyRoute, { path: pathOf(at), body });
        result.promoted += part.promoted;
        result.leaked += part.leaked_queries;
        onProgress(result.promoted);
        if (part.stopped) return { ...result, stopped: part.stopped.message };
        if (part.resume_after === null) return result;
        after = part.resume_after;
      }
    },
    onSettled: () => {
      for (const key of ['events', 'examples', 'versions'])
        void queryClient.invalidateQueries({ queryKey: [key, at.dataset] });
      void queryClient.invalidateQueries({ queryKey: ['event'] });
      refreshDataset(queryClient, at);
    },
  });
}

/** Events that were moved, and the first error of those that were not. */
export type Moved = { ids: string[]; error: unknown };

/** Skips or restores events, one after the other; one that fails does not stop the rest. */
export function useMoveMany(at: DatasetPath, to: 'skip' | 'restore', onMoved: (moved: Moved) => void) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async (ids: readonly string[]): Promise<Moved> => {
      const moved: Moved = { ids: [], error: null };
      for (const event of ids)
        try {
          const path = eventPath({ ...at, event });
          const answer = to === 'skip' ? await call(skipRoute, { path, body: {} }) : await call(restoreRoute, { path });
          settle(queryClient, at, answer);
          moved.ids.push(event);
        } catch (error) {
          moved.error ??= error;
        }
      return moved;
    },
    onSuccess: onMoved,
  });
}
