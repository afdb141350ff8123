import { useSuspenseQuery } from '@tanstack/react-query';
import { projectQuery } from '../projects/index.ts';
import { type DatasetPath, datasetQuery } from './datasets-queries.ts';

/** Whether a dataset can only be looked at: it, or its project, is in the archive. */
export function useReadOnly(at: DatasetPath): boolean {
  const { data: dataset } = useSuspenseQuery(datasetQuery(at));
  const { data: project } = useSuspenseQuery(projectQuery(at));
  return dataset.archived_at !== null || project.archived_at !== null;
}
