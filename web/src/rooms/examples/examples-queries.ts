import { listQuery } from '../../api/queries.ts';
import { textIn } from '../../routing/search-text.ts';
import { type DatasetPath, pathOf } from '../data/index.ts';
import type { Origin, Split } from './example.ts';

export const examplesListRoute = 'GET /api/v1/projects/{owner}/{project}/datasets/{dataset_id}/examples';

export type ExamplesSearch = {
  q?: string | undefined;
  split?: Split | undefined;
  origin?: Origin | undefined;
  valid?: boolean | undefined;
  version?: string | undefined;
};

export const splits: readonly Split[] = ['train', 'test'];
export const origins: readonly Origin[] = ['import', 'manual', 'chat', 'inference', 'retrieval_event'];

export function readExamplesSearch(search: Record<string, unknown>): ExamplesSearch {
  const { q, split, origin, valid, version } = search;
  return {
    q: textIn(q, 500),
    split: splits.find((each) => each === split),
    origin: origins.find((each) => each === origin),
    valid: typeof valid === 'boolean' ? valid : undefined,
    version: typeof version === 'string' ? version : undefined,
  };
}

export const examplesQuery = (at: DatasetPath, { version, ...filter }: ExamplesSearch) =>
  listQuery(['examples', at.dataset, version ?? null, filter], examplesListRoute, {
    path: pathOf(at),
    query: { ...filter, version_id: version, limit: 100 },
  });
