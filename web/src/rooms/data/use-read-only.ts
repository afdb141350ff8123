import { useSuspenseQuery } from '@tanstack/react-query';
import { projectQuery } from '../projects/index.ts';
import { type DatasetPath, datasetQuery } from './datasets-queries.ts';

/** Whether a dataset, or its project, is archived. */
export function useReadOnly(at: DatasetPath): boolean {
  const { data: dataset } = useSuspenseQuery(datasetQuery(at));
  const { data: project } = useSuspenseQuery(projectQuery(at));
  return dataset.archived_at !== null || project.archived_at !== null;
}
