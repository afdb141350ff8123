import { type InfiniteData, useMutation, useQueryClient } from '@tanstack/react-query';
import { call, type ResponseOf } from '../../api/call.ts';
import type { Schemas } from '../../api/generated/contract.ts';
import { listQuery } from '../../api/queries.ts';
import type { ActivityType } from './activity-type-texts.ts';

export type Activity = Schemas['Activity'];
export type ActivityFilter = {
  archived?: true | undefined;
  type?: ActivityType | undefined;
  project?: string | undefined;
  actor_id?: string | undefined;
};

type Pages = InfiniteData<ResponseOf<'GET /api/v1/activity'>>;

export const activityQuery = (filter: ActivityFilter) =>
  listQuery(['activity', filter], 'GET /api/v1/activity', {
    query: { ...filter, archived: filter.archived ? 'true' : 'false', limit: 50 },
  });

/** Removed from the list at once, and restored if the request fails. */
export function useMoveActivity(filter: ActivityFilter, onFailure: (error: unknown) => void) {
  const queryClient = useQueryClient();
  const { queryKey } = activityQuery(filter);
  return useMutation({
    mutationFn: ({ id, archived }: Activity) =>
      archived
        ? call('PATCH /api/v1/activity/{activity_id}/unarchive', { path: { activity_id: id } })
        : call('PATCH /api/v1/activity/{activity_id}/archive', { path: { activity_id: id } }),
    onMutate: async ({ id }) => {
      await queryClient.cancelQueries({ queryKey });
      const before = queryClient.getQueryData<Pages>(queryKey);
      queryClient.setQueryData<Pages>(queryKey, (pages) => pages && without(pages, id));
      return { before };
    },
    // Here and not where it is called: that row is unmounted by then.
    onError: (error, _row, stored) => {
      queryClient.setQueryData(queryKey, stored?.before);
      onFailure(error);
    },
    onSettled: () => {
      // Of several clicks only the last one refetches.
      if (queryClient.isMutating({ mutationKey: ['move-activity'] }) <= 1)
        void queryClient.invalidateQueries({ queryKey: ['activity'] });
    },
    mutationKey: ['move-activity'],
  });
}

function without(pages: Pages, id: string): Pages {
  return {
    ...pages,
    pages: pages.pages.map((page) => ({ ...page, data: page.data.filter((row) => row.id !== id) })),
  };
}

export function useArchiveAll() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (before: string) => call('POST /api/v1/activity/archive', { body: { before } }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['activity'] }),
  });
}
