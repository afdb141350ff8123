import { useQuery } from '@tanstack/react-query';
import type { Schemas } from '../../api/generated/contract.ts';
import { listQuery, routeQuery } from '../../api/queries.ts';
import type { ProjectPath } from '../projects/index.ts';
import type { DatasetPath } from './datasets-queries.ts';

export type Version = Schemas['DatasetVersion'];

export const versionName = (number: number): string => `v${number}`;

export const versionsQuery = (at: DatasetPath) =>
  listQuery(['versions', at.dataset], 'GET /api/v1/projects/{owner}/{project}/dataset-versions', {
    path: { owner: at.owner, project: at.project },
    query: { dataset_id: at.dataset, limit: 50 },
  });

/** Versions are immutable. */
export const versionQuery = ({ owner, project }: ProjectPath, id: string) => ({
  ...routeQuery(['version', id], 'GET /api/v1/projects/{owner}/{project}/dataset-versions/{version_id}', {
    path: { owner, project, version_id: id },
  }),
  staleTime: Number.POSITIVE_INFINITY,
});

export function useVersionName(at: DatasetPath, id: string): string {
  const { data: version } = useQuery(versionQuery(at, id));
  return version ? versionName(version.number) : '…';
}
