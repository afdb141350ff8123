import { useMutation, useQueryClient } from '@tanstack/react-query';
import { call, type ResponseOf } from '../../api/call.ts';
import { basePath } from '../../api/page-settings.ts';
import { listQuery } from '../../api/queries.ts';
import { type DatasetPath, pathOf, refreshDataset, versionsQuery } from '../data/index.ts';

const changesRoute = 'GET /api/v1/projects/{owner}/{project}/dataset-versions/{version_id}/changes';
export type Change = ResponseOf<typeof changesRoute>['data'][number];
type ChangeKind = Change['change'];
export const changeKinds: readonly ChangeKind[] = ['added', 'removed', 'changed'];

export type VersionsSearch = {
  version?: string | undefined;
  since?: string | undefined;
  change?: ChangeKind | undefined;
};

export function readVersionsSearch({ version, since, change }: Record<string, unknown>): VersionsSearch {
  return {
    version: typeof version === 'string' ? version : undefined,
    since: typeof since === 'string' ? since : undefined,
    change: changeKinds.find((each) => each === change),
  };
}

export type VersionPair = { version: string; since: string | undefined; change: ChangeKind | undefined };

export const changesQuery = ({ owner, project }: DatasetPath, { version, since, change }: VersionPair) => ({
  ...listQuery(['version-changes', version, since ?? null, change ?? null], changesRoute, {
    path: { owner, project, version_id: version },
    query: { since, change, limit: 50 },
  }),
  staleTime: Number.POSITIVE_INFINITY,
});

export function useFreeze(at: DatasetPath) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: ({ label, idempotencyKey }: { label: string | null; idempotencyKey: string }) =>
      call('POST /api/v1/projects/{owner}/{project}/datasets/{dataset_id}/versions', {
        path: pathOf(at),
        body: { label },
        idempotencyKey,
      }),
    onSuccess: () => {
      void queryClient.invalidateQueries({ queryKey: versionsQuery(at).queryKey });
      refreshDataset(queryClient, at);
    },
  });
}

/** The browser downloads the file with its session cookie. */
export function downloadAddress({ owner, project }: DatasetPath, id: string): string {
  const path = [owner, project].map(encodeURIComponent).join('/');
  return `${basePath()}/api/v1/projects/${path}/dataset-versions/${encodeURIComponent(id)}/download`;
}
