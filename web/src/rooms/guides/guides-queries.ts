import { keepPreviousData } from '@tanstack/react-query';
import type { ResponseOf } from '../../api/call.ts';
import { routeQuery } from '../../api/queries.ts';

export type GuideHeading = ResponseOf<'GET /api/v1/guides/{guide_name}'>['headings'][number];

/** They change with a release only. */
const staleTime = 10 * 60_000;

export const guidesQuery = { ...routeQuery(['guides'], 'GET /api/v1/guides', {}), staleTime };

export const guideQuery = (name: string) => ({
  ...routeQuery(['guides', 'one', name], 'GET /api/v1/guides/{guide_name}', { path: { guide_name: name } }),
  staleTime,
});

export const sectionsQuery = (q: string) => ({
  ...routeQuery(['guides', 'sections', q], 'GET /api/v1/guide-sections', { query: { q } }),
  staleTime,
  placeholderData: keepPreviousData,
});
